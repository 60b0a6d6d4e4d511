import { type LocalText, money, say } from "../../brand/LocalText.ts"
import * as Money from "../../platform/Money.ts"
import type { RenewalReason } from "../proxies/OrderEvent.ts"
import type { ChargeError } from "./ChargeProxyChange.ts"

/** The reason of a renewal that failed, as a word for programs and as a text for the owner. */
export interface RenewalFailure {
  readonly reason: RenewalReason
  readonly why: LocalText
}

export const notShown: RenewalFailure = { reason: "not_shown", why: say("notice.why_not_shown") }

export const failureOf = (
  error: Exclude<ChargeError, { readonly _tag: "ProxyBusy" | "ProxyNotLive" }>
): RenewalFailure => {
  if (error._tag === "InsufficientBalance") {
    const { balance, currency, required } = error.details
    const amount = (decimal: string) => money(currency, Money.fromDecimal(currency, decimal) ?? 0n)
    const why = say("notice.why_balance", { required: amount(required), balance: amount(balance) })
    return { reason: "balance", why }
  }
  if (error._tag === "PurchasesStopped") return { reason: "stopped", why: say("notice.why_stopped") }
  if (error._tag === "OfferWithdrawn" || error._tag === "NotSold")
    return { reason: "not_sold", why: say("notice.why_not_sold") }
  return { reason: "not_now", why: say("notice.why_not_now") }
}
