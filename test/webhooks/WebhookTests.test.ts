import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Socket } from "node:net"
import { frozenTime } from "../support/FrozenTime.ts"
import * as TestApp from "../support/TestApp.ts"
import { isGenuine } from "./DueDeliveries.ts"
import * as Receiver from "./Receiver.ts"
import { ask, createEndpoint, newOwner, statusesAt } from "./WebhooksTesting.ts"

type Received = Effect.Success<Effect.Success<ReturnType<typeof Receiver.start>>["received"]>

const answering = (status: string) =>
  Receiver.start((socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`))

/** True when the request was signed with this secret. */
const isSigned = (secret: string, { body, headers }: Received) =>
  isGenuine({
    secret,
    timestamp: headers["x-service-timestamp"] ?? "",
    delivery_id: headers["x-service-delivery-id"] ?? "",
    signature: headers["x-service-signature"] ?? "",
    body
  })

const test = (key: string, id: string) => ask(key)("POST", `/${id}/test`)
const logOf = (key: string, id: string) =>
  Effect.map(ask(key)("GET", `/${id}/deliveries`), ({ body }) => body.deliveries)

layer(TestApp.layer(), { excludeTestServices: true })("A test of an endpoint", (it) => {
  it.effect("arrives immediately, marked and signed as a test, and is in the log", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const receiver = yield* answering("204 No Content")
      const { id, signing_secret } = yield* createEndpoint(key, { url: receiver.url })
      const { body: result, status } = yield* test(key, id)
      const received = yield* receiver.received
      const payload = JSON.parse(received.body.toString())

      assert.strictEqual(status, 200)
      assert.deepStrictEqual(Object.keys(result).toSorted(), [
        "delivered",
        "delivery_id",
        "duration_ms",
        "error",
        "status_code"
      ])
      assert.deepInclude(result, { delivered: true, status_code: 204, error: null })
      assert.deepStrictEqual(payload.meta, { delivery_id: result.delivery_id, attempt: 1, is_test: true })
      assert.deepInclude(payload.data, { user_id, change_source: "test" })
      assert.deepInclude(payload.data.proxy, {
        host: "proxy.example.com",
        port: 8080,
        protocol: "HTTP",
        status: "active"
      })
      assert.isNull(payload.data.proxy.previous_status)
      assert.isTrue(isSigned(signing_secret, received))

      const { body: delivery } = yield* ask(key)("GET", `/${id}/deliveries/${result.delivery_id}`)
      assert.deepInclude(delivery, { id: result.delivery_id, status: "delivered", attempt: 1, next_attempt_at: null })
      assert.deepInclude(delivery.event, {
        id: payload.id,
        is_test: true,
        previous_status: null,
        occurred_at: payload.occurred_at
      })
      const { delivered: _, delivery_id: __, ...answer } = result
      assert.deepStrictEqual(delivery.attempts, [{ ...answer, attempt: 1, started_at: delivery.created_at }])
      const { body: endpoint } = yield* ask(key)("GET", `/${id}`)
      assert.deepStrictEqual([endpoint.last_test_at, endpoint.last_delivery_at], [delivery.created_at, null])
    })
  )

  it.effect("carries one signature when the old secret has ended", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const receiver = yield* answering("200 OK")
      const { id } = yield* createEndpoint(key, { url: receiver.url })
      const { body: rotated } = yield* ask(key)("POST", `/${id}/rotate-secret`, { overlap_seconds: 0 })
      yield* test(key, id)
      const received = yield* receiver.received
      assert.isTrue(isSigned(rotated.signing_secret, received))
      assert.notProperty(received.headers, "x-service-signature-alternate")
    })
  )

  it.effect("that is refused has an error in words, is not retried, and does not mark the endpoint", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const receiver = yield* answering("503 Service Unavailable")
      const { id } = yield* createEndpoint(key, { url: receiver.url })
      const { body, status } = yield* test(key, id)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, {
        delivered: false,
        status_code: 503,
        error: "The receiver answered 503 Service Unavailable"
      })
      const [delivery] = yield* logOf(key, id)
      assert.deepInclude(delivery, { status: "failed", attempt: 1, next_attempt_at: null })
      const { body: endpoint } = yield* ask(key)("GET", `/${id}`)
      assert.deepStrictEqual([endpoint.failing_since, endpoint.last_test_at], [null, delivery.created_at])
    })
  )

  it.effect("without an answer has no status, and works at a disabled endpoint", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const { id } = yield* createEndpoint(key, { url: "http://127.0.0.1:10001/", enabled: false })
      const { body, status } = yield* test(key, id)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { delivered: false, status_code: null, error: "Connection refused" })
    })
  )

  it.effect("ends a series of failures only when it arrives", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const sql = yield* SqlClient.SqlClient
      const at = new Date("2026-01-01T00:00:00.000Z")
      const receiver = yield* answering("200 OK")
      const { id } = yield* createEndpoint(key, { url: "http://127.0.0.1:10001/" })
      const failing = sql`
        UPDATE webhook_endpoint SET failing_since = ${at}, failure_warned_at = ${at} WHERE id = ${id}
      `
      const health = sql`SELECT failing_since, failure_warned_at FROM webhook_endpoint WHERE id = ${id}`
      yield* failing
      yield* test(key, id)
      assert.deepStrictEqual(yield* health, [{ failing_since: at, failure_warned_at: at }])
      yield* sql`UPDATE webhook_endpoint SET url = ${receiver.url} WHERE id = ${id}`
      yield* test(key, id)
      assert.deepStrictEqual(yield* health, [{ failing_since: null, failure_warned_at: null }])
    })
  )

  it.effect("of an endpoint that is deleted meanwhile gets 404 and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const waiting: Array<Socket> = []
      const receiver = yield* Receiver.start((socket) => waiting.push(socket))
      const { id } = yield* createEndpoint(key, { url: receiver.url })
      const running = yield* Effect.forkChild(test(key, id))
      yield* receiver.received
      assert.strictEqual((yield* ask(key)("DELETE", `/${id}`)).status, 204)
      waiting[0]?.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
      assert.strictEqual((yield* Fiber.join(running)).status, 404)
      assert.deepStrictEqual(yield* statusesAt(id), [])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id FROM webhook_event WHERE user_id = ${user_id}`, [])
    })
  )

  it.effect("is in the log even when its client left", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const waiting: Array<Socket> = []
      const receiver = yield* Receiver.start((socket) => waiting.push(socket))
      const { id } = yield* createEndpoint(key, { url: receiver.url })
      const running = yield* Effect.forkChild(test(key, id))
      yield* receiver.received
      yield* Fiber.interrupt(running)
      waiting[0]?.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
      const logged = yield* statusesAt(id).pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (statuses) => statuses.length > 0 })
      )
      assert.deepStrictEqual(logged, ["delivered"])
    })
  )

  it.effect("is limited to ten a minute for an account, over all endpoints", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { key } = yield* newOwner
      const settings = { url: "http://127.0.0.1:10001/", enabled: false }
      const endpoints = [yield* createEndpoint(key, settings), yield* createEndpoint(key, settings)]
      for (let made = 0; made < 10; made += 1)
        assert.strictEqual((yield* test(key, endpoints[made % 2].id)).status, 200)
      const { body, headers, status } = yield* test(key, endpoints[0].id)
      assert.deepStrictEqual([status, body.code], [429, "RATE_LIMITED"])
      assert.isAbove(body.details.retry_after, 30)
      assert.strictEqual(headers["retry-after"], String(body.details.retry_after))
      const other = yield* newOwner
      const { id } = yield* createEndpoint(other.key, settings)
      assert.strictEqual((yield* test(other.key, id)).status, 200)
    })
  )
})
