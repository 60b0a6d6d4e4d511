import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** An endpoint's signing secret, and what is shown of it ever after (specification sections 2.10 and 6.3). */
export const make: Effect.Effect<Pick<WebhookEndpoint, "signing_secret" | "secret_preview">> = Effect.sync(() => {
  const signing_secret = `whsec_${Hex.encode(SecureRandom.randomBytesUnsafe(32))}`
  return { signing_secret, secret_preview: `${signing_secret.slice(0, 12)}...${signing_secret.slice(-6)}` }
})
