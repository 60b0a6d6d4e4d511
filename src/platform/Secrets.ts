import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { hash } from "node:crypto"

/** Makes a secret of 32 random bytes: a prefix that names its kind, then 43 base64url characters. */
export const make = (prefix: string): Effect.Effect<string> =>
  Effect.sync(() => prefix + Base64Url.encode(SecureRandom.randomBytesUnsafe(32)))

/** Hashes a secret with SHA-256 in hex. The service stores only the hash of a secret that it has to recognise. */
export const digest = (secret: string): string => hash("sha256", secret)
