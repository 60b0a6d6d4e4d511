/**
 * The cause of a ledger entry that staff or a refund of staff made. `goodwill` is given money, and `goodwill_revoked` takes it
 * back. `correction` is either sign. `returned` returns a payment for something delivered, or a part of it. `gateway_refund`
 * leaves for the payment gateway, and `payout_returned` comes back from there. `payout` leaves at the request of the customer, and
 * `payout_declined` returns when staff decline it or the customer cancels it. `warranty` is a credit for an outage.
 */
export type EntryCause =
  | "goodwill"
  | "goodwill_revoked"
  | "correction"
  | "returned"
  | "gateway_refund"
  | "payout_returned"
  | "payout"
  | "payout_declined"
  | "warranty"
