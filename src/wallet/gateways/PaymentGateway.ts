import { type DateTime, type Effect, type Option, Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Currency } from "../../platform/Money.ts"
import type { CallbackRefused } from "../PaymentErrors.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"

/** The raw call of a gateway. Header names are in lower case. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * `needs_answer`: the gateway waits for evidence. `under_review`: the bank decides. The others are final: `closed` is an inquiry
 * that took no money.
 */
export const DisputeState = Schema.Literals(["needs_answer", "under_review", "closed", "lost", "won"])
export type DisputeState = typeof DisputeState.Type

/** The report of a gateway about a dispute, beside its money. */
export interface DisputeReport {
  readonly state: DisputeState
  /** The reason in the words of the gateway. */
  readonly reason: string | null
  /** The time until which the gateway takes an answer. */
  readonly answer_by: DateTime.Utc | null
}

/**
 * The gateway takes back a charge or a part of it. `announced` comes before money is taken. `returned` is final: the
 * refund failed or the dispute was won. The reports of a reversal may arrive in any order.
 */
export interface Reversed {
  readonly _tag: "Reversed"
  readonly charge_id: string
  /** The gateway's id of this refund or dispute. */
  readonly reversal_id: string
  readonly kind: "refund" | "dispute"
  readonly status: "announced" | "taken" | "returned"
  /** In the unit of the charge's currency; null means the whole charge. */
  readonly amount: bigint | null
  /** Present for a dispute. */
  readonly dispute?: DisputeReport
  /** Present when this service asked for the refund: its id here, and the outcome. */
  readonly own?: { readonly id: string; readonly outcome: RefundOutcome }
}

/** The state of a refund at its gateway. `failed` is final. A refund that succeeded may still fail later. */
export interface RefundOutcome {
  readonly status: "pending" | "succeeded" | "failed"
  /** The gateway's id; null for a refund that the gateway refused. */
  readonly gateway_refund_id: string | null
  readonly failure: string | null
}

/** A payment back to where a charge came from. The id is the idempotency key at the gateway. */
export interface ChargeRefund {
  readonly id: string
  readonly charge_id: string
  readonly amount: bigint
}

/** Pays charges back. */
export interface RefundGateway {
  /** Every refund is a multiple of it, in the unit of the currency. */
  readonly unit: bigint
  /** Pays back once for an id. A failure leaves the outcome unknown: look it up before you ask again. */
  readonly refund: (refund: ChargeRefund) => Effect.Effect<RefundOutcome, GatewayFailed>
  /** Looks a refund up by its id. None: the gateway knows no such refund. */
  readonly find: (refund: ChargeRefund) => Effect.Effect<Option.Option<RefundOutcome>, GatewayFailed>
}

/**
 * The reason for which a saved card was not charged. `declined` may pass: the card's bank may accept a later charge.
 * `not_charged` has nothing to do with the card: the gateway was not reached or refused the request.
 */
export const Decline = Schema.Literals([
  "authentication_required",
  "card_expired",
  "card_refused",
  "declined",
  "not_charged"
])
export type Decline = typeof Decline.Type

/** Stands for the gateway's id of a charge that was never made. */
export const noCharge = "none"

/** A card at the gateway. */
export interface CardReference {
  readonly customer_reference: string
  readonly card_reference: string
}

/** A customer saved a card on a page of the gateway. */
export interface CardSaved extends CardReference {
  readonly _tag: "CardSaved"
  readonly user_id: UserId
  readonly brand: string
  readonly last_digits: string
  readonly expiry_month: number
  readonly expiry_year: number
}

/** An event of a payment that a gateway reports. */
export type PaymentEvent =
  | {
      readonly _tag: "Paid"
      readonly payment_intent_id: PaymentIntentId
      /** The gateway's id of this charge. Each charge is credited at most once. */
      readonly charge_id: string
      readonly currency: Currency
      /** The amount that arrived, which may differ from the requested amount. */
      readonly amount: bigint
      /** Identifies the payer, for example by the fingerprint of a card; absent when the gateway does not name one. */
      readonly payer?: string
    }
  | Reversed
  | {
      readonly _tag: "Declined"
      readonly payment_intent_id: PaymentIntentId
      /** The gateway's id of the ended payment. An intent that was requested twice may have a second one. */
      readonly external_reference: string
      /** The reason, when a saved card was charged. */
      readonly decline?: Decline
    }
  | CardSaved
  /** The customer is about to pay. The gateway waits a few seconds for the decision to continue. */
  | {
      readonly _tag: "Checkout"
      readonly payment_intent_id: PaymentIntentId
      readonly currency: Currency
      readonly amount: bigint
      /** `refusal` is the message to the customer; null lets the payment continue. */
      readonly answer: (refusal: string | null) => Effect.Effect<void, GatewayFailed>
    }

/** The events of a genuine call or payment that does not concern this service. */
export const irrelevant: ReadonlyArray<PaymentEvent> = []

/** A payment that a gateway has accepted. */
export interface GatewayPayment {
  /** The page on which the customer pays. */
  readonly payment_url: string
  /** The gateway's id of the intent. */
  readonly external_reference: string
}

/** The gateway was not reached, refused the request, or gave an answer that cannot be read. */
export class GatewayFailed extends Schema.TaggedError<GatewayFailed>()("GatewayFailed", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Cards that customers save, and that the service charges without them. */
export interface CardGateway {
  /** Opens the page on which the customer saves a card; returns its address. */
  readonly begin: (owner: UserId) => Effect.Effect<string, GatewayFailed>
  /** Reads the card that was saved on a page; empty while there is none. `page_id` comes from the customer's browser. */
  readonly saved: (page_id: string) => Effect.Effect<ReadonlyArray<CardSaved>, GatewayFailed>
  /** Removes a card at the gateway. A card that is already removed is no failure. */
  readonly remove: (card: CardReference) => Effect.Effect<void, GatewayFailed>
  /**
   * Charges a card once, with the intent's id as the idempotency key. A failure leaves the outcome unknown: look it up, and
   * never charge again for the same intent.
   */
  readonly charge: (
    intent: PaymentIntent,
    card: CardReference
  ) => Effect.Effect<ReadonlyArray<PaymentEvent>, GatewayFailed>
  /**
   * Looks up the charge of an intent, and ends one that waits for the customer. None: the gateway knows no such charge. Empty:
   * the outcome is still open.
   */
  readonly find: (
    intent: PaymentIntent,
    card: CardReference
  ) => Effect.Effect<Option.Option<ReadonlyArray<PaymentEvent>>, GatewayFailed>
}

/** An outside payment service. It receives the intent's id as the idempotency key and repeats it in its calls. */
export interface PaymentGateway {
  readonly payment_method: PaymentMethod
  /** The headers that prove a call, in lower case. They are stored with the call, so none may hold a secret. */
  readonly headers: ReadonlyArray<string>
  /** The smallest amount that it accepts, in the unit of its currency; absent when it accepts any amount. */
  readonly minimum?: bigint
  /** With `save_card`, the card that pays is also saved for its owner; only a gateway that keeps cards is asked to. */
  readonly createIntent: (intent: PaymentIntent, save_card?: boolean) => Effect.Effect<GatewayPayment, GatewayFailed>
  /** Looks up all payments of an intent whose calls may be lost. `Declined` means that no more money will arrive. */
  readonly findPayment?: (intent: PaymentIntent) => Effect.Effect<ReadonlyArray<PaymentEvent>, GatewayFailed>
  /** Looks up all refunds and disputes of a charge. */
  readonly findReversals?: (charge_id: string) => Effect.Effect<ReadonlyArray<Reversed>, GatewayFailed>
  /**
   * Checks the origin of a call from its raw bytes, without any outside call. Only a call of another origin is refused.
   * The returned effect reads the call; it fails with `GatewayFailed` when a genuine call cannot be read or confirmed.
   */
  readonly authenticate: (
    callback: RawCallback
  ) => Effect.Effect<Effect.Effect<ReadonlyArray<PaymentEvent>, GatewayFailed>, CallbackRefused>
  /** Absent when the gateway keeps no cards. */
  readonly cards?: CardGateway
  /** Absent when the gateway cannot pay back. */
  readonly refunds?: RefundGateway
  /** Closes the page on which an intent is paid. */
  readonly close?: (intent: PaymentIntent) => Effect.Effect<void, GatewayFailed>
}
