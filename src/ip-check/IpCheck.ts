import { Schema } from "effect"
import { UserId } from "../accounts/User.ts"
import { IpSignals } from "./signals/IpSignals.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

export const IpCheckId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("IpCheckId"))
export type IpCheckId = typeof IpCheckId.Type

/** A completed check: what an account asked about an address, what it paid, and what it was answered. */
export const IpCheck = Schema.Struct({
  id: IpCheckId,
  user_id: UserId,
  ip: Schema.String,
  is_free: Schema.Boolean,
  /** Micro-dollars; zero when free. */
  amount: Schema.BigInt,
  verdict: Verdict,
  risk_score: Schema.Int,
  signals: IpSignals,
  vendors: Schema.Array(VendorRow),
  partial: Schema.Boolean,
  created_at: Schema.DateTimeUtcFromDate
})
export type IpCheck = typeof IpCheck.Type

/** How long a completed check answers for its address, whoever paid for it (decisions section 7). */
export const reuse = { hours: 1 }

/** What the wallet's ledger calls the payment of a check. */
export const paymentReference = (id: IpCheckId): string => `ip_check:${id}`

/** The same for its refund. */
export const refundReference = (id: IpCheckId): string => `ip_check_refund:${id}`
