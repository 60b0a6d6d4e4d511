import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { OperatorWebhook } from "../../../src/staff/todo/OperatorWebhook.ts"
import { sign } from "../../../src/webhooks/WebhookSignature.ts"
import * as TestOutbound from "../../support/TestOutbound.ts"
import { config } from "../../support/TestRoutes.ts"
import * as Receiver from "../../webhooks/Receiver.ts"

const secret = "0123456789abcdef0123456789abcdef"

const notified = {
  delivery_id: "0198c0de-0000-7000-8000-000000000001",
  notified_at: DateTime.makeUnsafe(0),
  page: "http://localhost:8080/admin/todo",
  item: {
    kind: "orphan",
    id: "7",
    since: DateTime.makeUnsafe(0),
    user_id: null,
    order_id: null,
    detail: "memory: proxy 7"
  }
} as const

const callOf = (settings: Record<string, string>) =>
  OperatorWebhook.use(({ call, isOn }) => Effect.map(Effect.result(call(notified)), ({ _tag }) => [isOn, _tag])).pipe(
    Effect.provide(Layer.fresh(Layer.provide(OperatorWebhook.layer, config(settings))))
  )

const answering = (status: string) =>
  Receiver.start((socket) => void socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`))

layer(TestOutbound.layer)("The operator's webhook", (it) => {
  it.effect("gets a signed call, and only 2xx is an answer", () =>
    Effect.gen(function* () {
      const taking = yield* answering("204 No Content")
      const settings = { OPERATOR_WEBHOOK_URL: taking.url, OPERATOR_WEBHOOK_SECRET: secret }
      assert.deepStrictEqual(yield* callOf(settings), [true, "Success"])
      const { body, headers } = yield* taking.received
      const text = body.toString()
      const timestamp = Number(headers["x-service-timestamp"])
      const { delivery_id } = notified
      assert.strictEqual(headers["x-service-signature"], sign({ secret, timestamp, delivery_id, body: text }))
      assert.strictEqual(headers["x-service-delivery-id"], delivery_id)
      const { data, id, type } = JSON.parse(text)
      assert.deepStrictEqual([id, type, data.kind, data.url], [delivery_id, "todo.opened", "orphan", notified.page])
      const failing = yield* answering("500 Internal Server Error")
      assert.deepStrictEqual(yield* callOf({ ...settings, OPERATOR_WEBHOOK_URL: failing.url }), [true, "Failure"])
      assert.deepStrictEqual(yield* callOf({ ...settings, OPERATOR_WEBHOOK_URL: "https://private.test/" }), [
        true,
        "Failure"
      ])
    })
  )

  it.effect("is off without an address, and needs a secret of some length", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* callOf({}), [false, "Success"])
      const short = { OPERATOR_WEBHOOK_URL: "https://example.com/", OPERATOR_WEBHOOK_SECRET: "short" }
      assert.strictEqual((yield* Effect.exit(callOf(short)))._tag, "Failure")
    })
  )
})
