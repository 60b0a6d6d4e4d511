import { type DateTime, DateTime as Time, Effect } from "effect"
import * as Money from "../../platform/Money.ts"
import type { MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import { Returns } from "../../wallet/Returns.ts"
import type { ReturnablePayment } from "../../wallet/ReturnablePayment.ts"
import type { Order } from "../Order.ts"
import { isLive } from "../OrderStatus.ts"
import type { OrderRefund, RefundRequest } from "./OrderRefund.ts"
import { MoreThanLeft, NotDelivered, NothingToReturn, NotWhole, OrderBusy } from "./OrderRefundErrors.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"
import { type PaidTerm, paidTerms } from "./PaidTerms.ts"
import { shareOf, spread } from "./ProRata.ts"

/** The payments that a refund returns, each with its part. */
export interface AgreedRefund extends Pick<OrderRefund, "amount" | "currency" | "computed"> {
  readonly parts: ReadonlyArray<{ readonly payment: ReturnablePayment; readonly amount: bigint }>
}

export interface Asked extends Pick<RefundRequest, "kind" | "amount" | "currency" | "ends_service"> {
  /** The moment for the part that is left. */
  readonly at: DateTime.Utc
  readonly used_gb: number | null
  /** True: the part that is left may be a cent less than the amount, because time passes between preview and request. */
  readonly is_shown: boolean
}

export type NotAgreed = MoneyRecordNotFound | MoreThanLeft | NotDelivered | NothingToReturn | NotWhole | OrderBusy

const tolerance = { USD: 10_000n, STAR: 0n } as const

export const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((all, one) => all + one, 0n)
const restOf = ({ paid, returned }: PaidTerm) => paid - returned

const computedOf = (
  terms: ReadonlyArray<PaidTerm>,
  used_gb: number | null,
  at: DateTime.Utc
): OrderRefund["computed"] => ({
  used_gb,
  terms: terms.map((term) => {
    const { currency, id, reference } = term.payment
    const text = (amount: bigint) => Money.toDecimal(currency, amount)
    const share = shareOf(term, Time.toEpochMillis(at))
    return { payment_id: id, reference, paid: text(term.paid), returned: text(term.returned), share: text(share) }
  })
})

/** The most that each term gives back. */
const boundsOf = Effect.fnUntraced(function* (order: Order, terms: ReadonlyArray<PaidTerm>, { at, kind }: Asked) {
  if (kind === "prorata") return terms.map((term) => shareOf(term, Time.toEpochMillis(at)))
  const rests = terms.map(restOf)
  if (kind === "amount") return rests
  const isWhole = isLive(order.proxy_status) && terms.every(({ returned }) => returned === 0n)
  if (!isWhole)
    return yield* new NotWhole({ details: { left: Money.toDecimal(terms[0]?.payment.currency ?? "USD", sum(rests)) } })
  return rests
})

/** Computes refunds. */
export const make = Effect.gen(function* () {
  const repo = yield* OrderRefundsRepo
  const returns = yield* Returns

  const termsOf = Effect.fnUntraced(function* (order: Order, currency: Money.Currency, used_gb: number | null) {
    const all = yield* returns.payments(order.id)
    return paidTerms({
      order,
      used_gb,
      delivered_at: yield* repo.deliveredAt(order.id),
      changes: yield* repo.changes(order.id),
      payments: all.filter((payment) => payment.currency === currency)
    })
  })

  /** Refuses an order that was not delivered, or whose proxy is changing. The order is locked. */
  const returnable = Effect.fnUntraced(function* (order: Order, ends_service: boolean) {
    if (order.provider_proxy_id === null) return yield* new NotDelivered({ details: { status: order.status } })
    const isHeld = order.operation_until !== null && Time.isGreaterThan(order.operation_until, yield* Time.now)
    if ((yield* repo.isChanging(order.id)) || (ends_service && isHeld)) return yield* new OrderBusy({ details: {} })
  })

  const agree = Effect.fnUntraced(function* (order: Order, asked: Asked): Effect.fn.Return<AgreedRefund, NotAgreed> {
    const { amount: given, at, currency = order.currency, ends_service, is_shown, kind, used_gb } = asked
    yield* returnable(order, ends_service)
    const terms = yield* termsOf(order, currency, used_gb)
    const bounds = yield* boundsOf(order, terms, asked)
    const most = sum(bounds)
    if (most === 0n) return yield* new NothingToReturn({ details: {} })
    const slack = is_shown && kind === "prorata" ? tolerance[currency] : 0n
    if (given !== undefined && given > most + slack)
      return yield* new MoreThanLeft({ details: { left: Money.toDecimal(currency, most) } })
    const amount = kind === "whole" || given === undefined || given > most ? most : given
    if (kind === "whole" && given !== undefined && given !== most)
      return yield* new NotWhole({ details: { left: Money.toDecimal(currency, most) } })
    const parts = spread(amount, bounds).flatMap((part, at) => {
      const payment = terms[at]?.payment
      return payment === undefined || part === 0n ? [] : [{ payment, amount: part }]
    })
    return { amount, currency, parts, computed: computedOf(terms, used_gb, at) }
  })

  return { agree, termsOf }
})
