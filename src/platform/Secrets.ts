import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { hash } from "node:crypto"

/** A secret of 32 random bytes, as 43 base64url characters after a prefix that names its kind. */
export const make = (prefix: string): Effect.Effect<string> =>
  Effect.sync(() => prefix + Base64Url.encode(SecureRandom.randomBytesUnsafe(32)))

/** SHA-256 in hex: what is stored of a secret that only has to be recognised. */
export const digest = (secret: string): string => hash("sha256", secret)
