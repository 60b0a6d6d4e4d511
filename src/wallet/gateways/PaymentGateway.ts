import { type Effect, Schema } from "effect"
import type { Currency } from "../../platform/Money.ts"
import type { CallbackRefused } from "../PaymentErrors.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"

/** A gateway's call exactly as it came in; header names are in lower case. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * The gateway takes a charge back, or a part of it. `announced` is before money is taken; `returned` is for good, as of a
 * refund that failed or a dispute that was won. The same reversal may be reported in any order.
 */
export interface Reversed {
  readonly _tag: "Reversed"
  readonly charge_id: string
  /** The gateway's own id of this refund or dispute. */
  readonly reversal_id: string
  readonly kind: "refund" | "dispute"
  readonly status: "announced" | "taken" | "returned"
  /** In the unit of the charge's currency; null takes the whole charge. */
  readonly amount: bigint | null
}

/** What a gateway says happened to a payment. */
export type PaymentEvent =
  | {
      readonly _tag: "Paid"
      readonly payment_intent_id: PaymentIntentId
      /** The gateway's own id of this movement of money; it is credited once, for ever. */
      readonly charge_id: string
      readonly currency: Currency
      /** What really came in, whatever had been asked for. */
      readonly amount: bigint
      /** Tells payers apart, such as a card's fingerprint; absent when the gateway does not say. */
      readonly payer?: string
    }
  | Reversed
  | {
      readonly _tag: "Declined"
      readonly payment_intent_id: PaymentIntentId
      /** Of what has ended: an intent that was asked for twice may be left with one that nobody pays. */
      readonly external_reference: string
    }
  /** The customer is about to pay: the gateway waits to be told at once whether this may go on. */
  | {
      readonly _tag: "Checkout"
      readonly payment_intent_id: PaymentIntentId
      readonly currency: Currency
      readonly amount: bigint
      /** `refusal` tells the customer why not; null lets the payment go on. */
      readonly answer: (refusal: string | null) => Effect.Effect<void, GatewayFailed>
    }

/** Of a call or a payment that is genuine and of no consequence here. */
export const irrelevant: ReadonlyArray<PaymentEvent> = []

export interface GatewayPayment {
  /** Where the customer pays. */
  readonly payment_url: string
  /** The gateway's id of the intent, as its owner finds it there. */
  readonly external_reference: string
}

/** The gateway could not be asked, refused, or said something that cannot be made sense of. */
export class GatewayFailed extends Schema.TaggedError<GatewayFailed>()("GatewayFailed", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A payment service outside. The intent's id is handed to it as the idempotency key and comes back in its calls. */
export interface PaymentGateway {
  readonly payment_method: PaymentMethod
  /** The headers that prove a call, in lower case; only these are kept with it, so none of them is a secret. */
  readonly headers: ReadonlyArray<string>
  /** The least that it takes, in the unit of its currency; absent when it takes any amount. */
  readonly minimum?: bigint
  readonly createIntent: (intent: PaymentIntent) => Effect.Effect<GatewayPayment, GatewayFailed>
  /** All that came in for an intent whose calls may have been lost. `Declined` says that nothing more will come. */
  readonly findPayment?: (intent: PaymentIntent) => Effect.Effect<ReadonlyArray<PaymentEvent>, GatewayFailed>
  /** All refunds and disputes of a charge. */
  readonly findReversals?: (charge_id: string) => Effect.Effect<ReadonlyArray<Reversed>, GatewayFailed>
  /**
   * Checks, over a call's raw bytes and asking nobody outside, that it comes from the gateway: only one that does not is
   * refused. The answer reads the call; `GatewayFailed` is about a genuine one that could not be read or checked.
   */
  readonly authenticate: (
    callback: RawCallback
  ) => Effect.Effect<Effect.Effect<ReadonlyArray<PaymentEvent>, GatewayFailed>, CallbackRefused>
  /** Takes the page back on which an intent is paid. */
  readonly close?: (intent: PaymentIntent) => Effect.Effect<void, GatewayFailed>
}
