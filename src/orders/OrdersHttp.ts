import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import * as Money from "../platform/Money.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { OrderPlacement } from "./OrderPlacement.ts"
import { Orders } from "./Orders.ts"
import { isLive } from "./OrderStatus.ts"
import { listed, view } from "./OrderView.ts"
import { TrafficUsage } from "./TrafficUsage.ts"

/** The body's key and the header's mean the same; two different ones are a mistake. */
const oneKey = Effect.fnUntraced(function* (body: string | undefined, header: string | undefined) {
  if (body !== undefined && header !== undefined && body !== header)
    return yield* RequestInvalid.at(["body", "idempotency_key"], "Differs from the header Idempotency-Key; send one")
  return body ?? header
})

export const layer = HttpApiBuilder.group(
  Api,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders
    const placement = yield* OrderPlacement
    const traffic = yield* TrafficUsage
    const wallets = yield* Wallets

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ headers, payload }) {
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        const placed = yield* placement.place(yield* Caller, payload, key)
        return HttpApiSchema.withHeaders({
          body: placed.orders,
          headers: placed.replayed ? { "idempotency-replayed": "true" as const } : {}
        })
      }),
      quote: Effect.fnUntraced(function* ({ payload }) {
        const { user_id } = yield* Caller
        const { offer, quantity, terms, total } = yield* placement.quote(payload)
        const held = yield* wallets.list(user_id)
        return {
          total: Money.toNumber(terms.currency, total),
          currency: terms.currency,
          unit_price: Money.toNumber(terms.currency, terms.unit_price),
          quantity,
          discount: 0,
          offer: { id: offer.id, name: offer.name, kind: offer.kind, country_code: offer.country_code },
          wallets: held.map(({ balance, currency, id }) => ({
            wallet_id: id,
            currency,
            balance: Money.toNumber(currency, balance)
          }))
        }
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { limit, offset, ...filter } = query
        const { user_id } = yield* Caller
        const found = yield* orders.list(user_id, filter, { limit, offset })
        return { orders: found.orders.map(listed), total: found.total, limit, offset }
      }),
      counts: Effect.fnUntraced(function* ({ query }) {
        return yield* orders.counts((yield* Caller).user_id, query)
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const order = yield* orders.get((yield* Caller).user_id, params.order_id)
        return view(order, isLive(order.proxy_status) ? yield* traffic.usedInCycle(order) : null)
      }),
      traffic: Effect.fnUntraced(function* ({ params, query }) {
        const order = yield* orders.get((yield* Caller).user_id, params.order_id)
        return yield* traffic.ofOrder(order, query.period)
      })
    })
  })
)
