import { Reason } from "../../wallet/adjustments/Adjustment.ts"
import { DeclineText, TransferReference } from "../../wallet/payouts/Payout.ts"

/** The fields with which staff settle a withdrawal, in the API and on pages. */
export const payoutFields = {
  reason: Reason.annotate({ description: "The reason for the audit log", examples: ["Checked the payments"] }),
  reference: TransferReference.annotate({
    description: "The transfer, such as its number at the bank or the hash of a transaction; the customer reads it",
    examples: ["SEPA 4711"]
  }),
  customer_text: DeclineText.annotate({
    description: "The reason that the customer reads",
    examples: ["Please name the owner of the account."]
  })
}
