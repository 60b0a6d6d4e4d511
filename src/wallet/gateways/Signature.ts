import { Effect, Redacted, Result } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"

const utf8 = new TextEncoder()

/** True when `signature` is the hex HMAC of `signed`; compares in constant time. */
export const isGenuine = Effect.fnUntraced(function* (
  algorithm: Mac.Algorithm,
  secret: Redacted.Redacted,
  signature: string,
  signed: Uint8Array | string
) {
  const mac = yield* Mac.Mac
  const tag = Result.getOrUndefined(Hex.decode(signature))
  if (tag === undefined) return false
  const key = yield* Mac.key(algorithm, utf8.encode(Redacted.value(secret)))
  return yield* mac.verify(key, tag, typeof signed === "string" ? utf8.encode(signed) : signed)
}, Effect.orDie)
