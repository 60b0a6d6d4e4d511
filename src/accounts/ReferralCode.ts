import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

/** Letters and digits without I, O, 0 and 1, which people confuse. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

/** Draws a code of 8 random characters. */
export const make: Effect.Effect<string> = Effect.sync(() =>
  Array.from(SecureRandom.randomBytesUnsafe(8), (byte) => alphabet.charAt(byte % alphabet.length)).join("")
)
