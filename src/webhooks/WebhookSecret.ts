import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** Makes a signing secret and the preview that later answers show (docs/contract.md, "Webhooks"). */
export const make: Effect.Effect<Pick<WebhookEndpoint, "signing_secret" | "secret_preview">> = Effect.sync(() => {
  const signing_secret = `whsec_${Hex.encode(SecureRandom.randomBytesUnsafe(32))}`
  return { signing_secret, secret_preview: `${signing_secret.slice(0, 12)}...${signing_secret.slice(-6)}` }
})
