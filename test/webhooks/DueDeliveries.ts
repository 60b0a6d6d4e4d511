import { DateTime } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import type { DueDelivery } from "../../src/webhooks/DueDelivery.ts"
import { WebhookDeliveryId } from "../../src/webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { WebhookEvent, WebhookEventId } from "../../src/webhooks/WebhookEvent.ts"

/** The first attempt to send an event to this address. */
export const dueTo = (url: string): DueDelivery => ({
  id: WebhookDeliveryId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
  endpoint_id: WebhookEndpointId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c13"),
  attempt: 1,
  url,
  signing_secret: `whsec_${"3f9a".repeat(16)}`,
  previous_secret: null,
  event: new WebhookEvent({
    id: WebhookEventId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"),
    user_id: UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c14"),
    order_id: "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c15",
    is_test: false,
    change_source: "status_changed",
    host: "198.51.100.7",
    port: 20_001,
    protocol: "SOCKS5",
    status: "expired",
    previous_status: "active",
    expires_at: DateTime.makeUnsafe("2026-07-01T00:00:00.000Z"),
    occurred_at: DateTime.makeUnsafe("2026-07-01T00:00:00.250Z")
  })
})

/** The receiver's side of the signature, written again from the rule (docs/contract.md, "Webhooks"). */
export const isGenuine = (received: {
  readonly secret: string
  readonly timestamp: string
  readonly delivery_id: string
  readonly signature: string
  readonly body: Uint8Array
}): boolean => {
  const digest = createHash("sha256").update(received.body).digest()
  const signed = Buffer.concat([
    Buffer.from(`${received.timestamp}.${received.delivery_id}.`),
    Buffer.from(digest.toString("hex"))
  ])
  const [version, given = "", ...more] = received.signature.split("=")
  const expected = createHmac("sha256", Buffer.from(received.secret)).update(signed).digest()
  const claimed = Buffer.from(given, "hex")
  return (
    version === "v1" && more.length === 0 && claimed.length === expected.length && timingSafeEqual(claimed, expected)
  )
}
