import { randomUUID } from "node:crypto"

type Fields = Readonly<Record<string, string>>

/** Stripe's error of a declined card (docs.stripe.com/declines/codes). */
interface CardError {
  readonly type: "card_error"
  readonly code: string
  readonly decline_code?: string
  readonly advice_code?: string
  readonly message: string
}

const errorOf = (decline: string): CardError => {
  const message = "Your card was declined."
  if (decline === "authentication_required" || decline === "expired_card")
    return { type: "card_error", code: decline, decline_code: decline, message }
  const advice = decline === "lost_card" ? { advice_code: "do_not_try_again" } : { advice_code: "try_again_later" }
  return { type: "card_error", code: "card_declined", decline_code: decline, ...advice, message }
}

export interface Payment {
  readonly id: string
  readonly object: "payment_intent"
  readonly amount: number
  readonly amount_received: number
  readonly currency: "usd"
  readonly customer: string
  readonly payment_method: string
  readonly created: number
  readonly metadata: Fields
  readonly status: string
  readonly latest_charge: unknown
  readonly last_payment_error: CardError | null
}

type Charged = Pick<Payment, "id" | "amount" | "customer" | "payment_method" | "created" | "metadata">

/** A confirmed payment (docs.stripe.com/api/payment_intents/object). A declined one waits for another card. */
export const paymentOf = ({ decline, ...payment }: Charged & { readonly decline: string | null }): Payment => ({
  ...payment,
  object: "payment_intent",
  amount_received: decline === null ? payment.amount : 0,
  currency: "usd",
  status: decline === null ? "succeeded" : "requires_payment_method",
  latest_charge: {
    id: `ch_${payment.id}`,
    object: "charge",
    payment_method_details: { type: "card", card: { fingerprint: `fp_${payment.payment_method}` } }
  },
  last_payment_error: decline === null ? null : errorOf(decline)
})

export const metadataIn = (fields: Fields, of = "metadata"): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      name.startsWith(`${of}[`) ? [[name.slice(of.length + 1, -1), value]] : []
    )
  )

/** The answer `402` to a declined charge. */
export const declinedAnswer = (payment: Payment) => ({
  error: { ...payment.last_payment_error, payment_intent: payment }
})

export const missing = (what: string, id: string) => ({
  error: { type: "invalid_request_error", code: "resource_missing", message: `No such ${what}: '${id}'`, param: what }
})

export const unexpectedState = (payment: Payment) => ({
  error: {
    type: "invalid_request_error",
    code: "payment_intent_unexpected_state",
    message: `You cannot cancel this PaymentIntent because it has a status of ${payment.status}.`,
    payment_intent: payment
  }
})

export const notAttached = {
  error: {
    type: "invalid_request_error",
    message: "The payment method you provided is not attached to a customer so detachment is impossible."
  }
}

/** The answer `400` to a refund that Stripe refuses. */
export const refusedRefund = (code: string) => ({
  error: { type: "invalid_request_error", code, message: `The charge cannot be refunded: ${code}` }
})

export interface Refund {
  readonly id: string
  readonly object: "refund"
  readonly payment_intent: string
  readonly amount: number
  readonly currency: "usd"
  readonly status: "pending" | "succeeded" | "failed"
  readonly failure_reason: string | null
  readonly metadata: Fields
}

/** A refund that its bank has not confirmed (docs.stripe.com/api/refunds/object). */
export const refundOf = (payment_intent: string, fields: Fields): Refund => ({
  id: `re_${randomUUID()}`,
  object: "refund",
  payment_intent,
  amount: Number(fields["amount"] ?? 0),
  currency: "usd",
  status: "pending",
  failure_reason: null,
  metadata: metadataIn(fields)
})

/** A dispute of a whole payment (docs.stripe.com/api/disputes/object). */
export const disputeOf = ({ amount, id: payment_intent }: Payment) => ({
  id: `dp_${randomUUID()}`,
  object: "dispute" as const,
  payment_intent,
  amount,
  currency: "usd" as const,
  status: "needs_response"
})
export type Dispute = ReturnType<typeof disputeOf>

export const failure = { error: { type: "api_error", message: "An unknown error occurred." } }

export interface Session {
  readonly id: string
  readonly object: "checkout.session"
  readonly mode: string
  readonly metadata: Fields
  readonly amount_total: number
  readonly currency: "usd"
  readonly status: string
  readonly payment_status: string
  readonly payment_intent: string | null
  readonly setup_intent: string | null
  readonly customer: string | null
  readonly url: string
}

/** An open page (docs.stripe.com/api/checkout/sessions/object). */
export const sessionOf = (id: string, fields: Fields): Session => ({
  id,
  object: "checkout.session",
  mode: fields["mode"] ?? "payment",
  metadata: metadataIn(fields),
  amount_total: Number(fields["line_items[0][price_data][unit_amount]"] ?? 0),
  currency: "usd",
  status: "open",
  payment_status: fields["mode"] === "setup" ? "no_payment_required" : "unpaid",
  payment_intent: null,
  setup_intent: null,
  customer: null,
  url: `https://checkout.stripe.com/c/pay/${id}`
})

/** A card that was entered on a page (docs.stripe.com/api/setup_intents/object). */
export const setupOf = (id: string, last4: string) => ({
  id,
  object: "setup_intent" as const,
  status: "succeeded",
  payment_method: {
    id: `pm_${randomUUID()}`,
    object: "payment_method" as const,
    type: "card",
    customer: `cus_${randomUUID()}`,
    card: { brand: "visa", last4, exp_month: 4, exp_year: 2030, fingerprint: `fp_${last4}` }
  }
})
export type Setup = ReturnType<typeof setupOf>

export const eventOf = (type: string, created: number) => ({
  id: `evt_${randomUUID()}`,
  object: "event",
  api_version: "2026-10-28.endive",
  created,
  type
})
