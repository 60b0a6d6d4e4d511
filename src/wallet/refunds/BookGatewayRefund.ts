import { DateTime, Effect } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { descriptions } from "../EntryDescription.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { Returns } from "../Returns.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import { GatewayRefundId } from "./GatewayRefund.ts"
import { GatewayCannotRefund, MoreThanPaid } from "./GatewayRefundErrors.ts"
import { GatewayRefundsRepo, type OpenCharge } from "./GatewayRefundsRepo.ts"

/** The process that booked a refund has this time to send it, before the job does. */
const lease = { seconds: 30 }

/** Returned money of an order that leaves its wallet for the gateway. */
export interface Leaving {
  readonly order_refund_id: string
  readonly user_id: UserId
  readonly currency: Money.Currency
  readonly amount: bigint
  /** The payment of the order, if it was paid from outside. Its charge comes first. */
  readonly payment_intent_id: string | null
}

const least = (one: bigint, other: bigint) => (other < one ? other : one)

/**
 * Books money out of a wallet for one or more charges of a gateway: the order's own charge first, then the newest. Each charge
 * takes back at most what it brought. The caller's transaction has locked the wallets.
 */
export const make = Effect.gen(function* () {
  const gateways = yield* PaymentGateways
  const repo = yield* GatewayRefundsRepo
  const returns = yield* Returns
  const wallets = yield* Wallets

  const unitOf = ({ payment_method }: OpenCharge) => gateways.get(payment_method)?.refunds?.unit

  const send = Effect.fnUntraced(function* (
    { currency, order_refund_id, user_id }: Leaving,
    charge: OpenCharge,
    amount: bigint
  ) {
    const now = yield* DateTime.now
    const { charge_id, payment_method } = charge
    const id = GatewayRefundId.make(UuidV7.make())
    const withdrawal_id = yield* newTransactionId
    const debited = yield* wallets.withdraw({
      id: withdrawal_id,
      user_id,
      currency,
      at_most: amount,
      reference: `gateway_refund:${id}`,
      description: descriptions.gateway_refund,
      is_sandbox: false,
      cause: "gateway_refund"
    })
    if (debited < amount) return yield* new MoreThanPaid({ details: { left: Money.toDecimal(currency, debited) } })
    yield* repo.insert(
      { order_refund_id, user_id, currency, id, charge_id, payment_method, amount, withdrawal_id },
      now,
      DateTime.add(now, lease)
    )
    return id
  })

  /** Answers the ids of the booked refunds. A rest below the gateway's unit stays in the wallet. */
  return Effect.fn("GatewayRefunds.book")(function* (leaving: Leaving) {
    const { amount, currency, payment_intent_id, user_id } = leaving
    const paid = yield* returns.paidMoney(user_id, currency)
    if (paid < amount) return yield* new MoreThanPaid({ details: { left: Money.toDecimal(currency, paid) } })
    yield* repo.lockCharges(user_id, currency)
    const open = yield* repo.openCharges(user_id, currency, payment_intent_id)
    const ids: Array<GatewayRefundId> = []
    let left = amount
    let dust = 0n
    for (const charge of open) {
      const unit = unitOf(charge)
      if (unit === undefined) continue
      dust = left % unit
      const part = least(left, charge.rest)
      const whole = part - (part % unit)
      if (whole > 0n) ids.push(yield* send(leaving, charge, whole))
      left -= whole
    }
    if (left > dust || ids.length === 0)
      return yield* new GatewayCannotRefund({ details: { left: Money.toDecimal(currency, amount - left) } })
    return ids
  })
})
