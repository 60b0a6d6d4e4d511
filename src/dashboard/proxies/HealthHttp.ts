import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { ProxyChecks } from "../../orders/warranty/ProxyChecks.ts"
import type { ProxyCheckView } from "../../orders/warranty/ProxyCheckView.ts"
import { Replacements } from "../../orders/warranty/Replacements.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { healthPage } from "./HealthPage.ts"
import * as ShowProxy from "./ShowProxy.ts"

const days = 7

const AutoReplace = Schema.Struct({ enabled: Schema.Literals(["on", "off"]) })
const unread = text("proxies.auto_replace_unread")

const notices = new Map([
  ["replaced", text("proxies.replaced")],
  ["auto-replace", text("proxies.auto_replace_changed")]
])

interface More {
  readonly check?: ProxyCheckView
  readonly faults?: Faults
}

const done = (visit: Visit, id: string, outcome: string) =>
  redirect(`${visit.pathTo(`proxies/${id}/health`)}?outcome=${outcome}`)

/** The page of the health of a proxy: its check now, its replacement, its last days. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const checks = yield* ProxyChecks
    const pages = yield* Pages
    const replacements = yield* Replacements
    const { orderOf } = yield* ShowProxy.make
    const path = `${yield* pathOf("proxies")}/:order_id` as const

    const show = Effect.fnUntraced(function* (visit: Visit, more: More = {}) {
      const order = yield* orderOf(visit)
      const uptime = yield* checks.uptime(visit.user.id, order.id, days)
      return healthPage(visit, { order, uptime, notice: notices.get(visit.query.get("outcome") ?? ""), ...more })
    })

    const again = (visit: Visit, faults: Faults) => show(visit, { faults })

    const check = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = yield* orderOf(visit)
      return yield* show(visit, { check: yield* checks.check(visit.user.id, id) })
    })

    const replace = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = yield* orderOf(visit)
      yield* replacements.replace(callerOf(visit), id, undefined)
      return done(visit, id, "replaced")
    })

    const setAutoReplace = Effect.fnUntraced(function* (visit: Visit, { enabled }: typeof AutoReplace.Type) {
      const { id } = yield* orderOf(visit)
      yield* checks.setAutoReplace(visit.user.id, id, enabled === "on")
      return done(visit, id, "auto-replace")
    })

    const button = { fields: Schema.Struct({}), messages: {}, again }
    yield* router.add("GET", `${path}/health`, pages.show(show))
    yield* router.add("POST", `${path}/check`, pages.take({ ...button, act: check }))
    yield* router.add("POST", `${path}/replace`, pages.take({ ...button, act: replace }))
    yield* router.add(
      "POST",
      `${path}/auto-replace`,
      pages.take({ fields: AutoReplace, messages: { enabled: unread }, again, act: setAutoReplace })
    )
  })
)
