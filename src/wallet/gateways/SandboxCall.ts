import { Effect, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"
import * as Money from "../../platform/Money.ts"
import { Text } from "../../platform/fields/Text.ts"
import type { RawCallback } from "./PaymentGateway.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { SandboxDecision } from "../SandboxPayment.ts"

/** The call of the sandbox about a payment; `amount` is a decimal string. */
export const SandboxCall = Schema.fromJsonString(
  Schema.Struct({
    payment_intent_id: PaymentIntentId,
    outcome: Schema.Literals([...SandboxDecision.literals, "reversed"]),
    charge_id: Text(1, 200),
    amount: Schema.String,
    currency: Money.Currency,
    /** The refund or dispute, when `outcome` is `reversed`. Its id also begins with `sandbox_`. */
    reversal: Schema.optionalKey(
      Schema.Struct({
        id: Text(1, 200),
        kind: Schema.Literals(["refund", "dispute"]),
        status: Schema.Literals(["announced", "taken", "returned"])
      })
    )
  })
)
export type SandboxCall = typeof SandboxCall.Type

export const signatureHeader = "x-sandbox-signature"

const utf8 = new TextEncoder()
const version = "v1="

const keyOf = (secret: string) => Mac.key(Mac.hmacSha256, utf8.encode(secret))

/** Encodes and signs a call. The signature is `v1=` and the hex HMAC-SHA256 of the body. */
export const signed = Effect.fnUntraced(function* (secret: string, call: SandboxCall) {
  const mac = yield* Mac.Mac
  const body = utf8.encode(yield* Schema.encodeEffect(SandboxCall)(call))
  const tag = yield* mac.sign(yield* keyOf(secret), body)
  const callback: RawCallback = { headers: { [signatureHeader]: version + Hex.encode(tag) }, body }
  return callback
}, Effect.orDie)

export const isGenuine = Effect.fnUntraced(function* (secret: string, { body, headers }: RawCallback) {
  const signature = headers[signatureHeader] ?? ""
  const tag = signature.startsWith(version)
    ? Result.getOrUndefined(Hex.decode(signature.slice(version.length)))
    : undefined
  if (tag === undefined) return false
  const mac = yield* Mac.Mac
  return yield* mac.verify(yield* keyOf(secret), tag, body)
}, Effect.orDie)
