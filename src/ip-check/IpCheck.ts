import { Schema } from "effect"
import { UserId } from "../accounts/User.ts"
import { IpSignals } from "./signals/IpSignals.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

export const IpCheckId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("IpCheckId"))
export type IpCheckId = typeof IpCheckId.Type

/** A completed check of an address: its account, price and result. */
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

/** The time for which the result of a check is reused for its address, for every account (docs/contract.md, "IP reputation checks"). */
export const reuse = { hours: 1 }

/** The reference of a check's payment in the ledger. */
export const paymentReference = (id: IpCheckId): string => `ip_check:${id}`

/** The reference of a check's refund in the ledger. */
export const refundReference = (id: IpCheckId): string => `ip_check_refund:${id}`
