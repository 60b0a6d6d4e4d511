import { Record, Schema } from "effect"
import { Model } from "effect/schema"
import type { RawCallback } from "../gateways/PaymentGateway.ts"
import { PaymentMethod } from "../PaymentMethod.ts"

const PaymentCallbackId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PaymentCallbackId"))
export type PaymentCallbackId = typeof PaymentCallbackId.Type

/**
 * The outcome of a callback. `paid` completed its intent, `credited` came late or with another amount, `reversed` took
 * a payment back, `saved` brought a card, `unchecked` has a valid signature but could not be read or confirmed. Of several outcomes, the one
 * that is listed first is stored.
 */
export const Outcome = Schema.Literals([
  "paid",
  "credited",
  "reversed",
  "saved",
  "declined",
  "unmatched",
  "duplicate",
  "ignored",
  "unchecked",
  "refused",
  "received"
])
export type Outcome = typeof Outcome.Type

/** Chooses the outcome that is stored. */
export const mostImportant = (outcomes: ReadonlyArray<Outcome>): Outcome =>
  Outcome.literals.find((outcome) => outcomes.includes(outcome)) ?? "ignored"

/** The raw callback of a gateway, stored before it is processed. */
export class PaymentCallback extends Model.Class<PaymentCallback>("PaymentCallback")({
  id: Model.UuidV7Insert(PaymentCallbackId),
  payment_method: PaymentMethod,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.Uint8Array,
  outcome: Outcome,
  received_at: Model.DateTimeInsertFromDate
}) {}

const excerptLength = 1024

/** The stored part of a refused callback, which anyone can send: the beginning of its body and of each header. */
export const excerpt = ({ body, headers }: RawCallback): RawCallback => ({
  headers: Record.map(headers, (value) => value.slice(0, excerptLength)),
  body: body.slice(0, excerptLength)
})
