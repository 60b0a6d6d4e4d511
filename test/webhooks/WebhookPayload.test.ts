import { assert, describe, it } from "@effect/vitest"
import { Equal, Schema } from "effect"
import { DueDelivery } from "../../src/webhooks/DueDelivery.ts"
import { WebhookEvent } from "../../src/webhooks/WebhookEvent.ts"
import { bodyOf, WebhookPayload } from "../../src/webhooks/WebhookPayload.ts"
import { dueTo } from "./DueDeliveries.ts"

const delivery = dueTo("https://example.com/hooks")

/** Each object of a JSON text as the list of its keys, in their written order. */
const keysOf = (json: string) => {
  const keys: Array<ReadonlyArray<string>> = []
  JSON.parse(json, (_key, value: unknown) => {
    if (typeof value === "object" && value !== null) keys.push(Object.keys(value))
    return value
  })
  return keys
}

describe("WebhookPayload", () => {
  it("is compact JSON with sorted keys", () => {
    assert.strictEqual(
      bodyOf({ ...delivery, attempt: 2 }),
      '{"data":{"change_source":"status_changed","order_id":"0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c15",' +
        '"proxy":{"expires_at":"2026-07-01T00:00:00.000Z","host":"198.51.100.7","port":20001,' +
        '"previous_status":"active","protocol":"SOCKS5","status":"expired"},' +
        '"user_id":"0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c14"},"id":"0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11",' +
        '"meta":{"attempt":2,"delivery_id":"0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12","is_test":false},' +
        '"occurred_at":"2026-07-01T00:00:00.250Z","type":"proxy.status_changed","version":"2026-04-01"}'
    )
  })

  it("has null where a test or a proxy without an end has no value", () => {
    const event = new WebhookEvent({ ...delivery.event, is_test: true, previous_status: null, expires_at: null })
    const { data, meta } = JSON.parse(bodyOf({ ...delivery, event }))
    assert.deepInclude(data.proxy, { previous_status: null, expires_at: null })
    assert.isTrue(meta.is_test)
  })

  it.prop("is read back as it was, whatever is in it, without a byte too many", [DueDelivery], ([due]) => {
    const bytes = Buffer.from(bodyOf(due))
    const json = bytes.toString()
    assert.strictEqual(JSON.stringify(JSON.parse(json)), json)
    for (const keys of keysOf(json)) assert.deepStrictEqual(keys, keys.toSorted())

    const { data, id, meta, occurred_at } = Schema.decodeSync(Schema.fromJsonString(WebhookPayload))(json)
    const { proxy, ...rest } = data
    assert.isTrue(
      Equal.equals(
        { ...rest, ...proxy, ...meta, id, occurred_at },
        { ...due.event, delivery_id: due.id, attempt: due.attempt }
      )
    )
  })
})
