import { Effect, Layer, Option } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { PaymentFulfilment } from "../../wallet/payments/PaymentFulfilment.ts"
import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { Order } from "../Order.ts"
import { entryText } from "./EntryText.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"

/** The customer paid at the gateway, so the payment does not count against the daily limit of an API key or an app. */
const noSpender = null

/** Describes an order as a purchase from the wallet does; without words of its offer once that is gone. */
const describe = (
  { country, period_days, proxy_type, tarification_index }: Order,
  offer: Offer | undefined
): string => {
  const option = offer?.options[tarification_index]
  return offer !== undefined && option?.period_days === period_days
    ? entryText(offer, option)
    : `${offer?.name ?? `${proxy_type} proxy, ${country}`}, ${period_days} days`
}

const entryOf = (order: Order, offer: Offer | undefined) => ({
  order_id: order.id,
  reference: order.id,
  amount: order.total,
  amount_usd: order.total_usd,
  description: describe(order, offer)
})

const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const promoCodes = yield* PromoCodes
  const repo = yield* OrderPaymentsRepo
  const wallets = yield* Wallets

  const ended = Effect.fn("OrderPayments.ended")(function* ({ id }: PaymentIntent) {
    yield* promoCodes.release(yield* repo.cancel(id))
  })

  /** The same transaction has credited the payment to the wallet, so the balance is always sufficient. */
  const paid = Effect.fn("OrderPayments.paid")(function* ({ currency, id, user_id }: PaymentIntent) {
    const entries = yield* Effect.forEach(yield* repo.waiting(id), (order) =>
      Effect.map(Effect.option(catalog.renewable(order.offer_id)), (offer) =>
        entryOf(order, Option.getOrUndefined(offer))
      )
    )
    yield* wallets.charge({ user_id, currency, entries, spender: noSpender })
    yield* repo.paid(id)
  }, Effect.orDie)

  return PaymentFulfilment.of({ paid, ended })
})

/** Spends a payment on its orders. Cancels the orders when their payment ends unpaid. */
export const layer = Layer.effect(PaymentFulfilment, make).pipe(Layer.provide(OrderPaymentsRepo.layer))
