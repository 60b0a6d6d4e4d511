import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

/** Without the characters that are mistaken for each other: I, O, 0, 1. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

/** 8 random characters. */
export const make: Effect.Effect<string> = Effect.sync(() =>
  Array.from(SecureRandom.randomBytesUnsafe(8), (byte) => alphabet.charAt(byte % alphabet.length)).join("")
)
