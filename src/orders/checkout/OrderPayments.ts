import { Effect, Layer } from "effect"
import { PaymentFulfilment } from "../../wallet/payments/PaymentFulfilment.ts"
import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { Order } from "../Order.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"

/**
 * No key spends this: the daily limit of a key is about the wallet's own money, and whoever paid at the gateway has
 * agreed to it there.
 */
const paidBy = null

const entryOf = ({ country, id, period_days, proxy_type, total, total_usd }: Order) => ({
  order_id: id,
  reference: id,
  amount: total,
  amount_usd: total_usd,
  description: `${proxy_type} proxy, ${country}, ${period_days} days`
})

const make = Effect.gen(function* () {
  const promoCodes = yield* PromoCodes
  const repo = yield* OrderPaymentsRepo
  const wallets = yield* Wallets

  const ended = Effect.fn("OrderPayments.ended")(function* ({ id }: PaymentIntent) {
    yield* promoCodes.release(yield* repo.cancel(id))
  })

  /** The money is in the wallet by then, in the same transaction: it cannot be too little. */
  const paid = Effect.fn("OrderPayments.paid")(function* ({ currency, id, user_id }: PaymentIntent) {
    const entries = (yield* repo.waiting(id)).map(entryOf)
    yield* wallets.charge({ user_id, currency, api_key: paidBy, entries })
    yield* repo.paid(id)
  }, Effect.orDie)

  return PaymentFulfilment.of({ paid, ended })
})

/** A payment for orders is spent on them, and one that ends without being made cancels them. */
export const layer = Layer.effect(PaymentFulfilment, make).pipe(Layer.provide(OrderPaymentsRepo.layer))
