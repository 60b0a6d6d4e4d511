import { assert, describe, it } from "@effect/vitest"
import { Schema, Struct } from "effect"
import { DueDelivery } from "../../src/webhooks/DueDelivery.ts"
import { bodyOf } from "../../src/webhooks/WebhookPayload.ts"
import { sign } from "../../src/webhooks/WebhookSignature.ts"
import { isGenuine } from "./DueDeliveries.ts"

const due = DueDelivery.mapFields(Struct.omit(["url", "signing_secret"]))
const secret = Schema.String.check(Schema.isPattern(/^whsec_[0-9a-f]{64}$/))
const timestamp = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800 }))
const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const bit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))

describe("WebhookSignature", () => {
  it("matches the signature that other tools compute", () => {
    // printf '{"a":1}' | sha256sum; printf '1700000000.d-1.%s' "$digest" | openssl dgst -sha256 -hmac whsec_00ff
    const signature = sign({ secret: "whsec_00ff", timestamp: 1_700_000_000, delivery_id: "d-1", body: '{"a":1}' })
    assert.strictEqual(signature, "v1=2913b7060d157e5b124a8d3097c2146e3750dbb8cf95555def1c04b7b5e77a3c")
  })

  it.prop("any payload is verified from the bytes that arrive", [due, secret, timestamp], ([delivery, secret, at]) => {
    const body = bodyOf(delivery)
    const signature = sign({ secret, timestamp: at, delivery_id: delivery.id, body })
    assert.match(signature, /^v1=[0-9a-f]{64}$/)
    assert.isTrue(
      isGenuine({ secret, timestamp: String(at), delivery_id: delivery.id, signature, body: Buffer.from(body) })
    )
  })

  it.prop(
    "nothing verifies when a bit of the body, the time, the delivery or the secret is another",
    [due, secret, timestamp, position, bit, due, secret, timestamp],
    ([delivery, secret, at, position, bit, other, otherSecret, otherTime]) => {
      const body = bodyOf(delivery)
      const signature = sign({ secret, timestamp: at, delivery_id: delivery.id, body })
      const received = { secret, timestamp: String(at), delivery_id: delivery.id, signature, body: Buffer.from(body) }
      const changed = Buffer.from(body)
      changed.writeUInt8(changed.readUInt8(position % changed.length) ^ (1 << bit), position % changed.length)

      assert.isFalse(isGenuine({ ...received, body: changed }))
      assert.isFalse(isGenuine({ ...received, body: changed.subarray(1) }))
      assert.strictEqual(isGenuine({ ...received, timestamp: String(otherTime) }), otherTime === at)
      assert.strictEqual(isGenuine({ ...received, delivery_id: other.id }), other.id === delivery.id)
      assert.strictEqual(isGenuine({ ...received, secret: otherSecret }), otherSecret === secret)
      assert.isFalse(isGenuine({ ...received, secret: secret.slice("whsec_".length) }))
      assert.isFalse(isGenuine({ ...received, signature: signature.slice(0, -1) }))
    }
  )
})
