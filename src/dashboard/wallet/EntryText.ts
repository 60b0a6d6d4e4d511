import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import { type descriptions, reasonOf } from "../../wallet/EntryDescription.ts"
import type { WalletTransaction } from "../../wallet/WalletTransaction.ts"

const reasonText = {
  deposit: text("wallet.entry_deposit"),
  auto_top_up: text("wallet.entry_auto_top_up"),
  unexpected_payment: text("wallet.entry_unexpected_payment"),
  not_provisioned: text("wallet.entry_not_provisioned"),
  provider_refused: text("wallet.entry_provider_refused"),
  provider_down: text("wallet.entry_provider_down"),
  refunded: text("wallet.entry_refunded"),
  disputed: text("wallet.entry_disputed"),
  reversal_ended: text("wallet.entry_reversal_ended"),
  referral_share: text("wallet.entry_referral_share"),
  referral_share_taken_back: text("wallet.entry_referral_share_taken_back"),
  goodwill: text("wallet.entry_goodwill"),
  goodwill_revoked: text("wallet.entry_goodwill_revoked"),
  corrected_up: text("wallet.entry_corrected_up"),
  corrected_down: text("wallet.entry_corrected_down"),
  returned: text("wallet.entry_returned"),
  gateway_refund: text("wallet.entry_gateway_refund"),
  payout_returned: text("wallet.entry_payout_returned"),
  payout: text("wallet.entry_payout"),
  payout_declined: text("wallet.entry_payout_declined"),
  warranty: text("wallet.entry_warranty"),
  payout_cancelled: text("wallet.entry_payout_cancelled")
} satisfies Record<keyof typeof descriptions, Phrase>

/** What an entry of the ledger is about. The names of offers are the operator's. */
export const entryText = ({ description }: Pick<WalletTransaction, "description">): Content => {
  const reason = reasonOf(description)
  return reason === undefined ? html`<bdi>${description}</bdi>` : reasonText[reason]
}
