import { Effect, Layer } from "effect"
import { PaymentFulfilment } from "../../wallet/payments/PaymentFulfilment.ts"
import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { Order } from "../Order.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"

/** The customer paid at the gateway, so the payment does not count against the daily limit of an API key or an app. */
const noSpender = null

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

  /** The same transaction has credited the payment to the wallet, so the balance is always sufficient. */
  const paid = Effect.fn("OrderPayments.paid")(function* ({ currency, id, user_id }: PaymentIntent) {
    const entries = (yield* repo.waiting(id)).map(entryOf)
    yield* wallets.charge({ user_id, currency, entries, spender: noSpender })
    yield* repo.paid(id)
  }, Effect.orDie)

  return PaymentFulfilment.of({ paid, ended })
})

/** Spends a payment on its orders. Cancels the orders when their payment ends unpaid. */
export const layer = Layer.effect(PaymentFulfilment, make).pipe(Layer.provide(OrderPaymentsRepo.layer))
