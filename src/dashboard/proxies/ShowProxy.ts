import { Effect, Option, Schema } from "effect"
import { isIP } from "node:net"
import { Catalog } from "../../catalog/Catalog.ts"
import { isMobileRotating, type Order, OrderId } from "../../orders/Order.ts"
import { OrderNotFound } from "../../orders/OrderErrors.ts"
import { ProxyChanges } from "../../orders/changes/ProxyChanges.ts"
import { Orders } from "../../orders/Orders.ts"
import { LiveProxies } from "../../orders/proxies/LiveProxies.ts"
import { MobileProxies } from "../../orders/proxies/MobileProxies.ts"
import { ProxyDestinations } from "../../orders/proxies/ProxyDestinations.ts"
import { ProxyHistory } from "../../orders/proxies/ProxyHistory.ts"
import { ProxyRefusals } from "../../orders/proxies/ProxyRefusals.ts"
import { TrafficPeriod } from "../../orders/traffic/TrafficPoints.ts"
import { TrafficUsage } from "../../orders/traffic/TrafficUsage.ts"
import { type Content, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { idInPath } from "../desk/IdInPath.ts"
import type { Visit } from "../desk/Visit.ts"
import { proxyPage } from "./ProxyPage.ts"
import type { Shown } from "./Shown.ts"

const decodePeriod = Schema.decodeUnknownOption(TrafficPeriod)

const notices = new Map([
  ["whitelist", text("proxies.addresses_changed")],
  ["destinations", text("proxies.destinations_changed")],
  ["protocol", text("proxies.protocol_changed")],
  ["extended", text("proxies.extended")],
  ["traffic", text("proxies.traffic_bought")],
  ["under-way", text("proxies.under_way")],
  ["password", text("proxies.password_changed")],
  ["logins", text("proxies.logins_changed")],
  ["signature", text("proxies.signature_changed")],
  ["notes", text("proxies.notes_changed")],
  ["tags", text("proxies.tags_changed")],
  ["released", text("proxies.released")],
  ["cancelled", text("proxies.order_cancelled")]
])

/** Says what a rotation changed. `before` is the exit address before it, from the query. */
const rotated = (before: string, after: string | null): Content => {
  if (isIP(before) === 0 || after === null) return text("proxies.rotated")
  return before === after ? text("proxies.rotated_same", { ip: after }) : text("proxies.rotated_to", { before, after })
}

const noticeOf = (query: URLSearchParams, { auto_renew }: Order, { current_ip }: Shown["mobile"]): Content => {
  const outcome = query.get("outcome") ?? ""
  if (outcome === "auto-renew") return auto_renew ? text("proxies.auto_renew_is_on") : text("proxies.auto_renew_is_off")
  return outcome === "rotated" ? rotated(query.get("exit") ?? "", current_ip) : notices.get(outcome)
}

/** Leads to the page of a proxy after a change. `more` are further parameters of its notice. */
export const done = ({ pathTo }: Visit, id: OrderId, outcome: string, more: Readonly<Record<string, string>> = {}) =>
  redirect(`${pathTo(`proxies/${id}`)}?${new URLSearchParams({ outcome, ...more }).toString()}`)

/** Makes the function that reads the order in the path of a request; for people, orders of others do not exist. */
const makeOrderOf = Effect.map(Orders, (orders) =>
  Effect.fnUntraced(function* ({ user }: Visit) {
    const id = yield* idInPath("order_id", OrderId)
    return yield* Effect.catchTag(orders.get(user.id, id), "OrderNotYours", () => new OrderNotFound())
  })
)

/** The entries of the history on a page. */
const historyOnPage = 25

/** Makes the functions that find the order in the path of a request, that ask its provider, and that show its proxy. */
export const make = Effect.gen(function* () {
  const { base_url } = yield* Addresses
  const catalog = yield* Catalog
  const destinations = yield* ProxyDestinations
  const history = yield* ProxyHistory
  const live = yield* LiveProxies
  const mobile = yield* MobileProxies
  const changes = yield* ProxyChanges
  const orderOf = yield* makeOrderOf
  const refusals = yield* ProxyRefusals
  const payments = yield* Payments
  const usages = yield* TrafficUsage

  /** What only the provider of a mobile rotating proxy knows. */
  const mobileOf = Effect.fnUntraced(function* (order: Order) {
    const proxy = isMobileRotating(order) ? yield* Effect.orElseSucceed(live.read(order), () => undefined) : undefined
    return { current_ip: proxy?.current_ip ?? null, signature: proxy?.signature ?? null }
  })

  const paymentOf = ({ payment_intent_id, status }: Order) =>
    status === "waiting_payment" && payment_intent_id !== null
      ? Effect.map(payments.find(PaymentIntentId.make(payment_intent_id)), Option.getOrUndefined)
      : Effect.succeed(undefined)

  const show = Effect.fnUntraced(function* (visit: Visit, more: Partial<Shown> = {}) {
    const order = yield* orderOf(visit)
    const exit = yield* mobileOf(order)
    const part = { limit: historyOnPage, offset: offsetOf(visit.query) }
    const period = Option.getOrElse(decodePeriod(visit.query.get("period") ?? ""), () => "last_24h" as const)
    return proxyPage(visit, {
      order,
      period,
      part,
      history: yield* history.list(visit.user.id, order.id, part),
      payment: yield* paymentOf(order),
      renewal: Option.getOrUndefined(yield* changes.renewal(order)),
      offer: Option.getOrUndefined(yield* Effect.option(catalog.renewable(order.offer_id))),
      usage: Option.getOrUndefined(yield* Effect.option(usages.ofOrder(order, period))),
      usedGb: yield* live.usedGb(order),
      mobile: exit,
      destinations: yield* Effect.orElseSucceed(destinations.read(visit.user.id, order.id), () => undefined),
      refusals: yield* Effect.orElseSucceed(refusals.list(visit.user.id, order.id), () => []),
      signatures: mobile.signatures,
      probe: `${base_url}/ip`,
      notice: noticeOf(visit.query, order, exit),
      ...more
    })
  })

  return { mobileOf, orderOf, show }
})
