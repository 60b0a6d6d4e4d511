import { DateTime, Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { Line } from "../../platform/fields/Line.ts"
import { needs } from "../../staff/Actor.ts"
import { NewRule } from "../../staff/abuse/DestinationRulesApi.ts"
import { RuleDesk } from "../../staff/abuse/RuleDesk.ts"
import * as RuleText from "../../platform/fields/RuleText.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { removePage, ruleForm, rulesPage } from "./RulePages.ts"

const perPage = 100

const told = { placed: text("rule.placed"), removed: text("rule.removed") }

const noticeOf = ({ query }: AdminVisit) => {
  const done = query.get("done")
  return done === "placed" || done === "removed" ? { notice: told[done] } : {}
}

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

const typed = <A>(read: (text: string) => Option.Option<A>, expected: string) =>
  Schema.String.check(Schema.makeFilter((text) => Option.isSome(read(text)) || expected))

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromString)
)

const Rule = Schema.Struct({
  action: NewRule.fields.action,
  scope: NewRule.fields.scope,
  scope_id: Schema.optionalKey(Line(1, 100)),
  host: Schema.optionalKey(typed(RuleText.hostOf, "must be a host name")),
  network: Schema.optionalKey(typed(RuleText.networkOf, "must be a network")),
  ports: Schema.optionalKey(typed(RuleText.portsOf, "must be a range of ports")),
  until: Schema.optionalKey(Day),
  reason: Line(1, 500),
  key: Nonce
}).check(
  Schema.makeFilter(({ host, network, scope, scope_id }) => [
    ...((scope === "platform") === (scope_id === undefined) ? [] : [{ path: ["scope"], issue: "needs an id" }]),
    ...(host === undefined || network === undefined ? [] : [{ path: ["network"], issue: "has a host already" }])
  ])
)

const messages = {
  action: text("admin.action_wrong"),
  scope: text("rule.scope_wrong"),
  scope_id: text("rule.scope_wrong"),
  host: text("rule.host_wrong"),
  network: text("rule.network_wrong"),
  ports: text("rule.ports_wrong"),
  until: text("rule.until_wrong"),
  reason: text("admin.reason_wrong"),
  key: text("form.not_confirmed")
}

const read = <A>(reader: (text: string) => Option.Option<A>, text: string | undefined) =>
  text === undefined ? null : Option.getOrNull(reader(text))

/** The rule that a form describes. */
const ruleOf = ({
  action,
  host,
  network,
  ports,
  reason,
  scope,
  scope_id,
  until
}: typeof Rule.Type): typeof NewRule.Type => ({
  action,
  scope,
  scope_id: scope_id ?? null,
  host_suffix: read(RuleText.hostOf, host),
  network: read(RuleText.networkOf, network),
  ...(read(RuleText.portsOf, ports) ?? { first_port: null, last_port: null }),
  until_at: until === undefined ? null : DateTime.add(until, { days: 1 }),
  reason
})

/** The rules about destinations, and the forms that place and remove them. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* RuleDesk
    const { pathTo, show, take } = yield* AdminPages

    const ruleInPath = ({ actor }: AdminVisit) =>
      Effect.flatMap(HttpRouter.params, ({ rule_id = "" }) => desk.find(actor, rule_id))

    yield* router.add(
      "GET",
      pathTo("destinations"),
      show(
        Effect.fnUntraced(function* (visit) {
          const after = visit.query.get("after")
          const page = yield* desk.list(visit.actor, { limit: perPage, ...(isId(after) && { after }) })
          return rulesPage(visit, { ...page, ...noticeOf(visit) })
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("destinations/new"),
      show((visit) => Effect.as(needs(visit.actor, "gateway.change"), ruleForm(visit, randomUUID())))
    )
    yield* router.add(
      "POST",
      pathTo("destinations/new"),
      take({
        fields: Rule,
        messages,
        again: (visit, faults, { field }) => Effect.succeed(ruleForm(visit, randomUUID(), { faults, field })),
        act: (visit, given) =>
          desk.place(visit.actor, given.key, ruleOf(given)).pipe(
            Effect.as(redirect(`${pathTo("destinations")}?done=placed`)),
            // Its words say what is wrong with the rule.
            Effect.catchTag("RuleRefused", ({ details }) =>
              Effect.fail({ _tag: "RuleNotPlaced", status: 409, detail: details.why } as const)
            )
          )
      })
    )
    yield* router.add(
      "GET",
      pathTo("destinations/:rule_id"),
      show(
        Effect.fnUntraced(function* (visit) {
          yield* needs(visit.actor, "gateway.change")
          return removePage(visit, yield* ruleInPath(visit))
        })
      )
    )
    yield* router.add(
      "POST",
      pathTo("destinations/:rule_id"),
      take({
        fields: Schema.Struct({ reason: Line(1, 500) }),
        messages: { reason: messages.reason },
        again: (visit, faults, { field }) =>
          Effect.map(ruleInPath(visit), (rule) => removePage(visit, rule, { faults, field })),
        act: Effect.fnUntraced(function* (visit, { reason }) {
          const { rule_id = "" } = yield* HttpRouter.params
          yield* desk.remove(visit.actor, rule_id, reason)
          return redirect(`${pathTo("destinations")}?done=removed`)
        })
      })
    )
  })
)
