/**
 * The descriptions of ledger entries without the name of an offer, by their reason. The ledger and the API keep them in
 * English; pages say the reason in the language of the reader.
 */
export const descriptions = {
  deposit: "Deposit",
  auto_top_up: "Automatic top-up",
  unexpected_payment: "Deposit: the payment came late, twice or not as requested",
  not_provisioned: "Refund: the proxy could not be provisioned",
  provider_refused: "Refund: the provider refused",
  provider_down: "Refund: the provider could not be reached",
  refunded: "Refunded by the payment gateway",
  disputed: "Disputed at the payment gateway",
  reversal_ended: "Returned: the refund failed or the dispute was won",
  referral_share: "Referral share",
  referral_share_taken_back: "Referral share taken back because the payment was refunded or disputed",
  goodwill: "Goodwill credit",
  goodwill_revoked: "Goodwill credit taken back",
  corrected_up: "Correction: credited",
  corrected_down: "Correction: debited",
  returned: "Refund of an order",
  gateway_refund: "Paid back to the card",
  payout_returned: "Returned: the card did not take the refund",
  payout: "Withdrawal",
  payout_declined: "Returned: the withdrawal was declined",
  warranty: "Credit for an outage",
  payout_cancelled: "Returned: the withdrawal was cancelled"
} as const

type EntryReason = keyof typeof descriptions

const reasons: ReadonlyMap<string, EntryReason> = new Map(
  (Object.keys(descriptions) as ReadonlyArray<EntryReason>).map((reason) => [descriptions[reason], reason])
)

/** The reason of an entry; undefined when it has another description. */
export const reasonOf = (description: string): EntryReason | undefined => reasons.get(description)
