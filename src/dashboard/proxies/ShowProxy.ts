import { Effect, Option, Schema } from "effect"
import { OrderId } from "../../orders/Order.ts"
import { Orders } from "../../orders/Orders.ts"
import { LiveProxies } from "../../orders/proxies/LiveProxies.ts"
import { TrafficPeriod } from "../../orders/traffic/TrafficPoints.ts"
import { TrafficUsage } from "../../orders/traffic/TrafficUsage.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { idInPath } from "../desk/IdInPath.ts"
import type { Visit } from "../desk/Visit.ts"
import { proxyPage, type Shown } from "./ProxyPage.ts"

const decodePeriod = Schema.decodeUnknownOption(TrafficPeriod)

const notices = new Map([
  ["whitelist", text("proxies.addresses_changed")],
  ["protocol", text("proxies.protocol_changed")],
  ["auto-renew", text("proxies.auto_renew_changed")],
  ["extended", text("proxies.extended")]
])

/** Leads to the page of a proxy after a change. */
export const done = ({ pathTo }: Visit, id: OrderId, outcome: string) =>
  redirect(`${pathTo(`proxies/${id}`)}?outcome=${outcome}`)

/** Makes the functions that find the order in the path of a request, and that show its proxy. */
export const make = Effect.gen(function* () {
  const { base_url } = yield* Addresses
  const live = yield* LiveProxies
  const orders = yield* Orders
  const usages = yield* TrafficUsage

  const orderOf = Effect.fnUntraced(function* ({ user }: Visit) {
    return yield* orders.get(user.id, yield* idInPath("order_id", OrderId))
  })

  const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<Shown> = {}) {
    const order = yield* orderOf(visit)
    const period = Option.getOrElse(decodePeriod(visit.query.get("period") ?? ""), () => "last_24h" as const)
    return proxyPage(visit, {
      order,
      period,
      usage: Option.getOrUndefined(yield* Effect.option(usages.ofOrder(order, period))),
      usedGb: yield* live.usedGb(order),
      probe: `${base_url}/catalog`,
      notice: notices.get(visit.query.get("outcome") ?? ""),
      ...more
    })
  })

  return { orderOf, show }
})
