import { Record, Schema } from "effect"
import { Model } from "effect/schema"
import type { RawCallback } from "../gateways/PaymentGateway.ts"
import { PaymentMethod } from "../PaymentMethod.ts"

const PaymentCallbackId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PaymentCallbackId"))
export type PaymentCallbackId = typeof PaymentCallbackId.Type

/**
 * The outcome of a call: `paid` completed its intent, `credited` came late or with another amount, `reversed` took a
 * payment back, `unchecked` is signed and could not be read or checked with its gateway. When a call has several outcomes,
 * the first one here is kept.
 */
export const Outcome = Schema.Literals([
  "paid",
  "credited",
  "reversed",
  "declined",
  "unmatched",
  "duplicate",
  "ignored",
  "unchecked",
  "refused",
  "received"
])
export type Outcome = typeof Outcome.Type

export const mostTelling = (outcomes: ReadonlyArray<Outcome>): Outcome =>
  Outcome.literals.find((outcome) => outcomes.includes(outcome)) ?? "ignored"

/** A gateway's call as it came in, kept before anything is made of it. */
export class PaymentCallback extends Model.Class<PaymentCallback>("PaymentCallback")({
  id: Model.UuidV7Insert(PaymentCallbackId),
  payment_method: PaymentMethod,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.Uint8Array,
  outcome: Outcome,
  received_at: Model.DateTimeInsertFromDate
}) {}

const excerptLength = 1024

/** What is kept of a call that anyone may have sent: the beginning of its body and of each header. */
export const excerpt = ({ body, headers }: RawCallback): RawCallback => ({
  headers: Record.map(headers, (value) => value.slice(0, excerptLength)),
  body: body.slice(0, excerptLength)
})
