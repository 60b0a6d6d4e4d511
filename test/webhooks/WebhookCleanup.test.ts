import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as WebhookCleanup from "../../src/webhooks/WebhookCleanup.ts"
import { WebhookCleanupRepo } from "../../src/webhooks/WebhookCleanupRepo.ts"
import { answer, dispatching, layer as domain, newEndpoint, record, statusesOf } from "./DispatchTesting.ts"

const eventsLeft = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_event`, ([row]) => row?.count)
)

layer(WebhookCleanupRepo.layer.pipe(Layer.provideMerge(domain)))("WebhookCleanup", (it) => {
  it.effect("cleanup keeps events and their deliveries for 30 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [endpoint, deleted] = [yield* newEndpoint(), yield* newEndpoint()]
      const { idle, next } = yield* dispatching(() => answer(200))
      for (const each of [endpoint, deleted]) yield* record(each)
      yield* Effect.all([next, next])
      yield* idle
      yield* sql`DELETE FROM webhook_endpoint WHERE id = ${deleted.id}`
      yield* TestClock.adjust("30 days")
      yield* WebhookCleanup.run
      assert.strictEqual(yield* eventsLeft, 2)
      yield* TestClock.adjust("1 second")
      yield* WebhookCleanup.run
      assert.strictEqual(yield* eventsLeft, 0)
      assert.deepStrictEqual(yield* statusesOf(endpoint), {})
      const [attempts] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_attempt`
      assert.strictEqual(attempts?.count, 0)
    })
  )

  it.effect("cleanup keeps an event with all its deliveries while one of them is pending", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* record(endpoint)
      yield* TestClock.adjust("31 days")
      yield* WebhookCleanup.run
      assert.deepStrictEqual(yield* statusesOf(endpoint), { pending: 1 })
      const { idle, next } = yield* dispatching(() => answer(200))
      yield* next
      yield* idle
      yield* WebhookCleanup.run
      assert.strictEqual(yield* eventsLeft, 0)
    })
  )

  it.effect("one round removes several batches", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint({ enabled: false })
      const finished = { status: "cancelled", next_attempt_at: null, finished_at: "1970-01-01T00:00:00Z" }
      yield* record(endpoint, 1001, finished)
      yield* TestClock.adjust("31 days")
      yield* WebhookCleanup.run
      assert.strictEqual(yield* eventsLeft, 0)
    })
  )

  it.effect("cleanup removes the endpoints of a deleted account with their secrets and pending deliveries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [endpoint, other] = [yield* newEndpoint(), yield* newEndpoint()]
      for (const each of [endpoint, other]) yield* record(each)
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = created_at WHERE id = ${endpoint.user_id}`
      yield* WebhookCleanup.run
      const left = yield* sql<{ id: string }>`
        SELECT id FROM webhook_endpoint WHERE id IN (${endpoint.id}, ${other.id})
      `
      assert.deepStrictEqual(left, [{ id: other.id }])
      assert.deepStrictEqual(yield* statusesOf(endpoint), {})
      assert.deepStrictEqual(yield* statusesOf(other), { pending: 1 })
    })
  )
})
