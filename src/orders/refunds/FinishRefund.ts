import { Effect, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import { GatewayRefunds } from "../../wallet/refunds/GatewayRefunds.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as ProviderCall from "../proxies/ProviderCall.ts"
import { sum } from "./AgreeRefund.ts"
import type { OrderRefund, OrderRefundId } from "./OrderRefund.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"

const open = ["booked", "sent", "unknown"]

/** The work of a booked refund outside its transaction: the gateway pays back, and the provider ends the proxy. */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const gatewayRefunds = yield* GatewayRefunds
  const live = yield* LiveProxies
  const repo = yield* OrderRefundsRepo
  const wallets = yield* Wallets

  /** A provider that cannot take a proxy back lets it run until its end. */
  const release = Effect.fnUntraced(function* ({ id, order_id }: OrderRefund) {
    const order = yield* Effect.flatMap(repo.order(order_id), Effect.fromOption).pipe(Effect.orDie)
    const provider = yield* live.provider(order)
    if (provider.release !== undefined && order.provider_proxy_id !== null)
      yield* ProviderCall.answered(provider.release(order.provider_proxy_id))
    yield* repo.released(id)
  })

  const finish = Effect.fn("OrderRefunds.finish")(function* (id: OrderRefundId) {
    const refund = Option.getOrUndefined(yield* repo.find(id))
    if (refund?.status !== "booked") return
    const leaving = (yield* gatewayRefunds.of(id)).filter(({ status }) => open.includes(status))
    yield* Effect.forEach(leaving, gatewayRefunds.review, { discard: true })
    if (refund.release_at === null) return
    yield* Effect.catch(release(refund), () =>
      Effect.logWarning(`Cannot end the proxy of the refunded order ${refund.order_id} yet; the job tries again`)
    )
  }, Effect.uninterruptible)

  const again = Effect.fn("OrderRefunds.again")(
    function* (id: OrderRefundId) {
      const refund = Option.getOrUndefined(yield* repo.lock(id))
      if (refund?.status !== "booked") return yield* new MoneyRecordNotFound()
      const all = yield* gatewayRefunds.of(id)
      // What failed and is not in the wallet again covers a refund or dispute that the gateway reported.
      const amount = refund.amount - sum(all.map((one) => one.amount - one.given_back))
      // A failed refund that was made once more leaves at most what is below the gateway's unit.
      const isDue = all.some(({ given_back }) => given_back > 0n && given_back <= amount)
      if (!isDue) return refund
      yield* wallets.lock(refund.user_id)
      const { currency, order_id, user_id } = refund
      const order = yield* Effect.flatMap(repo.order(order_id), Effect.fromOption).pipe(Effect.orDie)
      const { payment_intent_id } = order
      yield* gatewayRefunds.book({ order_refund_id: id, user_id, currency, amount, payment_intent_id })
      return refund
    },
    atomically,
    Effect.uninterruptible
  )

  return { finish, again, release }
})
