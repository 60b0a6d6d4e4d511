import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { held, waiting } from "../support/Locks.ts"
import * as TestApp from "../support/TestApp.ts"
import { ask, createEndpoint, newOwner, record, recordAttempts, statusesAt } from "./WebhooksTesting.ts"

const statuses = ["delivered", "failed", "abandoned", "cancelled", "pending"]

/** An account with an endpoint. */
const newReceiver = Effect.gen(function* () {
  const { key } = yield* newOwner
  return { key, endpoint: yield* createEndpoint(key) }
})

const outcome = ({ body, status }: { status: number; body: any }) =>
  status === 409 ? `409 ${body.details.reason}` : String(status)

layer(TestApp.layer(), { excludeTestServices: true })("The log of an endpoint", (it) => {
  it.effect("lists deliveries, newest first, in pages, also by status", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      for (const [minute, status] of statuses.entries()) yield* record(endpoint, { minute, status })
      yield* record(yield* createEndpoint((yield* newOwner).key))
      const list = (query: string) =>
        Effect.map(ask(key)("GET", `/${endpoint.id}/deliveries${query}`), ({ body }) => ({
          ...body,
          deliveries: body.deliveries.map(({ status }: any) => status)
        }))
      assert.deepStrictEqual(yield* list(""), { deliveries: statuses.toReversed(), total: 5, limit: 50, offset: 0 })
      assert.deepStrictEqual(yield* list("?limit=2&offset=1"), {
        deliveries: ["cancelled", "abandoned"],
        total: 5,
        limit: 2,
        offset: 1
      })
      for (const status of statuses)
        assert.deepStrictEqual(yield* list(`?status=${status}`), {
          deliveries: [status],
          total: 1,
          limit: 50,
          offset: 0
        })
    })
  )

  it.effect("refuses an unknown status and a page out of bounds, and names each", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      for (const [field, value] of [
        ["status", "lost"],
        ["limit", "0"],
        ["limit", "101"],
        ["offset", "-1"]
      ]) {
        const { body, status } = yield* ask(key)("GET", `/${endpoint.id}/deliveries?${field}=${value}`)
        assert.deepStrictEqual([status, body.detail.map(({ loc }: any) => loc)], [422, [["query", field]]])
      }
    })
  )

  it.effect("shows the event of a delivery and the result of each attempt", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const { event_id, id } = yield* record(endpoint, { status: "pending", attempt: 3 })
      const refused = { duration_ms: 12, status_code: 503, error: "The receiver answered 503 Service Unavailable" }
      yield* recordAttempts(id, [refused, null, null])
      const sql = yield* SqlClient.SqlClient
      const now = new Date()
      yield* sql`UPDATE webhook_attempt SET started_at = ${now} WHERE delivery_id = ${id} AND attempt = 3`
      const { body } = yield* ask(key)("GET", `/${endpoint.id}/deliveries/${id}`)
      const { attempts, event, ...delivery } = body
      const at = "2026-01-01T00:00:00.000Z"
      assert.deepStrictEqual(delivery, {
        id,
        endpoint_id: endpoint.id,
        status: "pending",
        attempt: 3,
        next_attempt_at: at,
        created_at: at,
        finished_at: null
      })
      const { order_id, ...facts } = event
      assert.isString(order_id)
      assert.deepStrictEqual(facts, {
        id: event_id,
        is_test: false,
        status: "expiring",
        previous_status: "active",
        occurred_at: at
      })
      const none = { duration_ms: null, status_code: null }
      assert.deepStrictEqual(attempts, [
        { ...refused, attempt: 1, started_at: at },
        {
          ...none,
          attempt: 2,
          started_at: "2026-01-01T00:01:00.000Z",
          error: "Interrupted: the service stopped before it knew the outcome. The receiver may have got the event"
        },
        { ...none, attempt: 3, started_at: now.toISOString(), error: null }
      ])
      const [listed] = (yield* ask(key)("GET", `/${endpoint.id}/deliveries`)).body.deliveries
      assert.deepStrictEqual(listed, { ...delivery, event })
    })
  )

  it.effect("shows a lost last attempt as interrupted", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const { id } = yield* record(endpoint, { status: "abandoned" })
      yield* recordAttempts(id, [null, null, null, null, null])
      const { body } = yield* ask(key)("GET", `/${endpoint.id}/deliveries/${id}`)
      assert.match(body.attempts[4].error, /^Interrupted: /)
    })
  )

  it.effect("redelivers an event with a new delivery that is due immediately", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      for (const status of ["delivered", "failed", "abandoned", "cancelled"]) {
        const { event_id, id } = yield* record(endpoint, { status })
        const { body, status: answer } = yield* ask(key)("POST", `/${endpoint.id}/deliveries/${id}/redeliver`)
        assert.strictEqual(answer, 202)
        assert.notStrictEqual(body.id, id)
        assert.deepInclude(body, {
          endpoint_id: endpoint.id,
          status: "pending",
          attempt: 0,
          finished_at: null
        })
        assert.isAtMost(Date.parse(body.next_attempt_at), Date.parse(body.created_at))
        assert.deepInclude(body.event, { id: event_id, occurred_at: "2026-01-01T00:00:00.000Z" })
        const { attempts, ...found } = (yield* ask(key)("GET", `/${endpoint.id}/deliveries/${body.id}`)).body
        assert.deepStrictEqual([found, attempts], [body, []])
      }
    })
  )

  it.effect("does not redeliver an event with a pending delivery", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const redeliver = (id: string) =>
        Effect.map(ask(key)("POST", `/${endpoint.id}/deliveries/${id}/redeliver`), outcome)
      const sql = yield* SqlClient.SqlClient
      const { event_id, id } = yield* record(endpoint, { status: "failed" })
      const { open } = yield* held(sql`SELECT FROM webhook_endpoint WHERE id = ${endpoint.id} FOR UPDATE`)
      const together = Effect.all([redeliver(id), redeliver(id), redeliver(id)], { concurrency: 3 })
      const redelivering = yield* Effect.forkChild(together)
      yield* waiting(3)
      yield* open
      const answers = yield* Fiber.join(redelivering)
      assert.deepStrictEqual(answers.toSorted(), ["202", "409 delivery_pending", "409 delivery_pending"])
      const { id: pending } = yield* record(endpoint, { status: "pending" })
      assert.strictEqual(yield* redeliver(pending), "409 delivery_pending")
      const elsewhere = yield* createEndpoint((yield* newOwner).key)
      yield* record(elsewhere, { status: "pending", event_id })
      yield* sql`
        UPDATE webhook_delivery SET status = 'delivered', attempt = 1, next_attempt_at = NULL, finished_at = created_at
        WHERE endpoint_id = ${endpoint.id} AND status = 'pending'
      `
      assert.strictEqual(yield* redeliver(id), "202")
    })
  )

  it.effect("does not find an event that cleanup removes at the same moment", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const sql = yield* SqlClient.SqlClient
      const { event_id, id } = yield* record(endpoint)
      const removing = yield* held(
        Effect.andThen(
          sql`DELETE FROM webhook_delivery WHERE id = ${id}`,
          sql`DELETE FROM webhook_event WHERE id = ${event_id}`
        )
      )
      const redelivering = yield* Effect.forkChild(ask(key)("POST", `/${endpoint.id}/deliveries/${id}/redeliver`))
      yield* waiting(1)
      yield* removing.open
      yield* Fiber.join(removing.running)
      assert.strictEqual(outcome(yield* Fiber.join(redelivering)), "404")
    })
  )

  it.effect("does not redeliver a test", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const { id } = yield* record(endpoint, { is_test: true, status: "failed" })
      const answer = yield* ask(key)("POST", `/${endpoint.id}/deliveries/${id}/redeliver`)
      assert.strictEqual(outcome(answer), "409 delivery_is_test")
      assert.deepStrictEqual(yield* statusesAt(endpoint.id), ["failed"])
    })
  )

  it.effect("does not redeliver to a disabled endpoint", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const { id } = yield* record(endpoint)
      yield* ask(key)("PATCH", `/${endpoint.id}`, { enabled: false })
      const answer = yield* ask(key)("POST", `/${endpoint.id}/deliveries/${id}/redeliver`)
      assert.strictEqual(outcome(answer), "409 endpoint_disabled")
      assert.deepStrictEqual(yield* statusesAt(endpoint.id), ["delivered"])
    })
  )

  it.effect("shows only the deliveries of its own endpoint", () =>
    Effect.gen(function* () {
      const { endpoint, key } = yield* newReceiver
      const other = yield* createEndpoint(key, { enabled: false })
      const { id } = yield* record(other)
      for (const [place, detail] of [
        [`${endpoint.id}/deliveries/${id}`, /delivery/],
        [`${endpoint.id}/deliveries/${randomUUID()}`, /delivery/],
        [`${randomUUID()}/deliveries/${id}`, /endpoint/]
      ] as const)
        for (const answer of [yield* ask(key)("GET", `/${place}`), yield* ask(key)("POST", `/${place}/redeliver`)]) {
          assert.strictEqual(answer.status, 404)
          assert.match(answer.body.detail, detail)
        }
    })
  )
})
