import { DateTime, Effect, Option } from "effect"
import { MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import type { Currency } from "../../platform/Money.ts"
import type { OrderId } from "../Order.ts"
import { isLive } from "../OrderStatus.ts"
import * as AgreeRefund from "./AgreeRefund.ts"
import * as AskUsage from "./AskUsage.ts"
import type { Usage } from "./OrderRefund.ts"
import { NotDelivered } from "./OrderRefundErrors.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"
import { shareOf } from "./ProRata.ts"

/** The amounts of an order that can be returned now. */
export interface RefundPreview {
  readonly order_id: OrderId
  readonly currency: Currency
  readonly paid: bigint
  readonly returned: bigint
  /** The most that can be returned. */
  readonly left: bigint
  /** The part for the time and the traffic that are left. */
  readonly prorata: bigint
  /** The figures that the amounts follow from, for a refund that is made now. */
  readonly usage: Usage
  /** True when the order can be undone. */
  readonly is_whole_possible: boolean
  readonly terms: ReadonlyArray<{
    readonly reference: string
    readonly paid: bigint
    readonly returned: bigint
    readonly share: bigint
  }>
}

export const make = Effect.gen(function* () {
  const ask = yield* AskUsage.make
  const repo = yield* OrderRefundsRepo
  const { termsOf } = yield* AgreeRefund.make

  return Effect.fn("OrderRefunds.preview")(function* (order_id: OrderId) {
    const order = Option.getOrUndefined(yield* repo.order(order_id))
    if (order === undefined) return yield* new MoneyRecordNotFound({ detail: "There is no such order" })
    if (order.provider_proxy_id === null) return yield* new NotDelivered({ details: { status: order.status } })
    const usage = yield* ask(order)
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const terms = (yield* termsOf(order, order.currency, usage.used_gb)).map((term) => ({
      reference: term.payment.reference,
      paid: term.paid,
      returned: term.returned,
      share: shareOf(term, now)
    }))
    const paid = AgreeRefund.sum(terms.map((term) => term.paid))
    const returned = AgreeRefund.sum(terms.map((term) => term.returned))
    const preview: RefundPreview = {
      order_id,
      currency: order.currency,
      paid,
      returned,
      usage,
      left: paid - returned,
      prorata: AgreeRefund.sum(terms.map(({ share }) => share)),
      is_whole_possible: isLive(order.proxy_status) && paid > 0n && returned === 0n,
      terms
    }
    return preview
  })
})
