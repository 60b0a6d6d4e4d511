import { Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpRouter } from "effect/http"
import { destinationRules, NewDestinations } from "../../orders/proxies/DestinationsView.ts"
import { ProxyDestinations } from "../../orders/proxies/ProxyDestinations.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Content, text } from "../../pages/Html.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { networkOf, portsOf } from "../../platform/fields/RuleText.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import * as ShowProxy from "./ShowProxy.ts"

/** The characters of a wrong line that the page shows. */
const shownCharacters = 60

const linesOf = (typed: string) =>
  typed
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, entry: line.trim() }))
    .filter(({ entry }) => entry !== "")

const placeOf = (where: string) => {
  if (where === "*") return {}
  return Option.isSome(networkOf(where)) ? { network: where } : { host_suffix: where }
}

/** Reads a line such as `deny example.com 80-90` into a rule, which is not valid when the line is wrong. */
const ruleOf = (entry: string) => {
  const [action, where = "", ports, ...more] = entry.split(/\s+/, 4)
  const range = ports === undefined ? {} : Option.getOrElse(portsOf(ports), () => ({ first_port: 0 }))
  return more.length > 0 ? {} : { action, ...placeOf(where), ...range }
}

const decodeRules = Schema.decodeUnknownOption(NewDestinations)

const Rules = Schema.String.pipe(
  Schema.decodeTo(NewDestinations, {
    decode: SchemaGetter.transform((typed) => linesOf(typed).map(({ entry }) => ruleOf(entry)) as never),
    encode: SchemaGetter.transform(() => "")
  })
)

const Form = Schema.Struct({ destinations: Schema.optionalKey(Rules) })

/** Names the first wrong line, or says that there are too many. */
const faultOf = (typed: string): Content => {
  const wrong = linesOf(typed)
    .slice(0, 50)
    .find(({ entry }) => Option.isNone(decodeRules([ruleOf(entry)])))
  if (wrong === undefined) return text("proxies.destinations_too_many")
  return text("proxies.destinations_wrong", { line: wrong.line, entry: wrong.entry.slice(0, shownCharacters) })
}

/** The form that changes the owner's rules about the destinations of a proxy. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const destinations = yield* ProxyDestinations
    const pages = yield* Pages
    const { orderOf, show } = yield* ShowProxy.make
    const path = yield* pathOf("proxies")

    const again = (visit: Visit, faults: Faults, typed: Submission) => show(visit, { faults, typed })

    const set = Effect.fnUntraced(function* (visit: Visit, form: typeof Form.Type) {
      const { id } = yield* orderOf(visit)
      yield* destinations.set(callerOf(visit), id, destinationRules(form.destinations ?? []))
      return ShowProxy.done(visit, id, "destinations")
    })

    yield* router.add(
      "POST",
      `${path}/:order_id/destinations`,
      pages.take({ fields: Form, messages: { destinations: faultOf }, again, act: set })
    )
  })
)
