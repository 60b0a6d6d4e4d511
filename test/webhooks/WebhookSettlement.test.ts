import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookDeliveryId } from "../../src/webhooks/WebhookDelivery.ts"
import { type EndedAttempt, WebhookSettlement } from "../../src/webhooks/WebhookSettlement.ts"
import { held } from "../support/Locks.ts"
import {
  answer,
  changeEndpoint,
  deliveryOf,
  dispatching,
  endpointOf,
  layer as domain,
  type NewEndpoint,
  newEndpoint,
  noticesOf,
  record,
  statusesOf
} from "./DispatchTesting.ts"

/** Begins attempt number `attempt` of some new deliveries. */
const underWay = Effect.fnUntraced(function* (endpoint: NewEndpoint, times = 1, attempt = 1) {
  const sql = yield* SqlClient.SqlClient
  const lease = DateTime.add(yield* DateTime.now, { seconds: 30 })
  const ids = yield* record(endpoint, times, { attempt, next_attempt_at: DateTime.formatIso(lease) })
  for (const delivery_id of ids)
    yield* sql`INSERT INTO webhook_attempt ${sql.insert({ delivery_id, attempt, started_at: DateTime.toDate(yield* DateTime.now) })}`
  return ids.map((id) => ({ id: WebhookDeliveryId.make(id), endpoint_id: endpoint.id, attempt }))
})

/** Settles attempts that all end the same, in one call. */
const settleAs = Effect.fnUntraced(function* (
  status_code: number,
  attempts: ReadonlyArray<Pick<EndedAttempt, "id" | "endpoint_id" | "attempt">>
) {
  const ended_at = yield* DateTime.now
  const settlement = yield* WebhookSettlement
  yield* settlement.settle(attempts.map((attempt) => ({ ...attempt, result: answer(status_code), ended_at })))
})

/** Makes and settles an attempt that gets this status code. */
const answered = (endpoint: NewEndpoint, status_code: number) =>
  Effect.flatMap(underWay(endpoint), (attempts) => settleAs(status_code, attempts))

layer(WebhookSettlement.layer.pipe(Layer.provideMerge(domain)))("WebhookSettlement", (it) => {
  it.effect("many attempts of many endpoints are settled together, each with its own result", () =>
    Effect.gen(function* () {
      const settlement = yield* WebhookSettlement
      const endpoints = yield* Effect.replicateEffect(newEndpoint(), 3)
      const attempts = (yield* Effect.forEach(endpoints, (endpoint) => underWay(endpoint, 4))).flat()
      const ended_at = yield* DateTime.now
      const codes = [200, 404, 500, 204]
      yield* settlement.settle(
        attempts.map((attempt, index) => ({ ...attempt, ended_at, result: answer(codes[index % 4] ?? 0) }))
      )
      for (const endpoint of endpoints)
        assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 2, failed: 1, pending: 1 })
    })
  )

  it.effect("a failed attempt marks the endpoint, a delivered one clears the mark", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* TestClock.adjust("1 second")
      const failedAt = DateTime.toDate(yield* DateTime.now)
      yield* answered(endpoint, 404)
      yield* TestClock.adjust("1 second")
      yield* answered(endpoint, 500)
      const failing = yield* endpointOf(endpoint)
      assert.deepStrictEqual([failing.failing_since, failing.last_delivery_at], [failedAt, null])
      yield* answered(endpoint, 200)
      const recovered = yield* endpointOf(endpoint)
      assert.deepStrictEqual(
        [recovered.failing_since, recovered.last_delivery_at, recovered.updated_at],
        [null, DateTime.toDate(yield* DateTime.now), recovered.created_at]
      )
    })
  )

  it.effect("the last of several attempts decides the health of the endpoint", () =>
    Effect.gen(function* () {
      const settlement = yield* WebhookSettlement
      const endpoint = yield* newEndpoint()
      const [first, second] = yield* underWay(endpoint, 2)
      const now = yield* DateTime.now
      const [earlier, later] = [DateTime.add(now, { seconds: 1 }), DateTime.add(now, { seconds: 2 })]
      yield* settlement.settle([
        { ...second!, ended_at: later, result: answer(200) },
        { ...first!, ended_at: earlier, result: answer(500) }
      ])
      assert.isNull((yield* endpointOf(endpoint)).failing_since)
    })
  )

  it.effect(
    "the owner gets one warning after four days of failures, and one notice when the endpoint is disabled after five",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const endpoint = yield* newEndpoint()
        yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${endpoint.user_id}`
        for (let day = 0; day < 4; day++) {
          yield* answered(endpoint, 500)
          yield* TestClock.adjust("23 hours")
        }
        assert.deepStrictEqual(yield* noticesOf(endpoint), [])
        yield* TestClock.adjust("4 hours")
        yield* answered(endpoint, 500)
        yield* answered(endpoint, 500)
        assert.deepStrictEqual(yield* noticesOf(endpoint), ["webhook_failing"])
        yield* TestClock.adjust("23 hours")
        yield* answered(endpoint, 500)
        assert.isTrue((yield* endpointOf(endpoint)).enabled)
        yield* TestClock.adjust("1 hour")
        const [late] = yield* underWay(endpoint)
        yield* record(endpoint, 2)
        yield* answered(endpoint, 500)
        const disabled = yield* endpointOf(endpoint)
        assert.deepStrictEqual([disabled.enabled, disabled.updated_at], [false, DateTime.toDate(yield* DateTime.now)])
        assert.deepStrictEqual(yield* statusesOf(endpoint), { cancelled: 11 })
        yield* settleAs(500, [late!])
        assert.deepStrictEqual(yield* noticesOf(endpoint), ["webhook_failing", "webhook_disabled"])
        const mails = yield* sql<{ text: string }>`SELECT text FROM email_outbox ORDER BY created_at`
        assert.deepStrictEqual(
          mails.map(({ text }) => text.split("\n")[0]),
          [
            "Every delivery to your webhook endpoint at example.com has failed since 1 Jan 1970, 00:00 UTC. The service disables it in a day unless a delivery arrives. Send a test to it.",
            "Every delivery to your webhook endpoint at example.com has failed since 1 Jan 1970, 00:00 UTC. The service has disabled it. Enable it again when its receiver answers."
          ]
        )
      })
  )

  it.effect("the warning comes at least a day before an endpoint is disabled", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* answered(endpoint, 500)
      yield* TestClock.adjust("30 days")
      yield* answered(endpoint, 500)
      yield* TestClock.adjust("23 hours")
      yield* answered(endpoint, 500)
      assert.isTrue((yield* endpointOf(endpoint)).enabled)
      assert.deepStrictEqual(yield* noticesOf(endpoint), ["webhook_failing"])
      yield* TestClock.adjust("1 hour")
      yield* answered(endpoint, 500)
      assert.isFalse((yield* endpointOf(endpoint)).enabled)
    })
  )

  it.effect("a delivered event restarts the five days", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      for (const status of [500, 500, 200, 500, 500]) {
        yield* answered(endpoint, status)
        yield* TestClock.adjust("2 days")
      }
      assert.deepStrictEqual(yield* noticesOf(endpoint), [])
      assert.isTrue((yield* endpointOf(endpoint)).enabled)
    })
  )

  it.effect("settling twice, as after a lost answer of the database, changes nothing", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* answered(endpoint, 500)
      yield* TestClock.adjust("4 days")
      const attempts = yield* underWay(endpoint)
      yield* settleAs(500, attempts)
      const once = [yield* deliveryOf(attempts[0]?.id), yield* endpointOf(endpoint)]
      yield* settleAs(500, attempts)
      assert.deepStrictEqual([yield* deliveryOf(attempts[0]?.id), yield* endpointOf(endpoint)], once)
      assert.deepStrictEqual(yield* noticesOf(endpoint), ["webhook_failing"])
    })
  )

  it.effect("a failure that is older than a delivery, or reported twice, does not mark the endpoint", () =>
    Effect.gen(function* () {
      const settlement = yield* WebhookSettlement
      const endpoint = yield* newEndpoint()
      const [late, repeated] = yield* underWay(endpoint, 2)
      const failed = { ended_at: yield* DateTime.now, result: answer(500) }
      yield* settlement.settle([{ ...repeated!, ...failed }])
      yield* TestClock.adjust("1 second")
      yield* answered(endpoint, 200)
      yield* settlement.settle([
        { ...late!, ...failed },
        { ...repeated!, ...failed }
      ])
      assert.isNull((yield* endpointOf(endpoint)).failing_since)
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 1, pending: 2 })
    })
  )

  it.effect("attempts of locked endpoints wait, the others are settled, those of deleted endpoints are dropped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settlement = yield* WebhookSettlement
      const endpoints = yield* Effect.replicateEffect(newEndpoint(), 3)
      const attempts = (yield* Effect.forEach(endpoints, (endpoint) => underWay(endpoint))).flat()
      const [locked, deleted, free] = endpoints
      yield* sql`DELETE FROM webhook_endpoint WHERE id = ${deleted!.id}`
      const ended_at = yield* DateTime.now
      const holder = yield* held(sql`SELECT FROM webhook_endpoint WHERE id = ${locked!.id} FOR UPDATE`)
      const left = yield* settlement.settle(attempts.map((attempt) => ({ ...attempt, ended_at, result: answer(200) })))
      assert.deepStrictEqual(
        left.map(({ endpoint_id }) => endpoint_id),
        [locked!.id]
      )
      assert.deepStrictEqual(yield* statusesOf(free!), { delivered: 1 })
      assert.deepStrictEqual(yield* statusesOf(locked!), { pending: 1 })
      yield* holder.open
      yield* Fiber.join(holder.running)
      assert.deepStrictEqual(yield* settlement.settle(left), [])
      assert.deepStrictEqual(yield* statusesOf(locked!), { delivered: 1 })
    })
  )

  it.effect("a lost attempt that ends late does not end the attempt after it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* newEndpoint()
      const [first] = yield* underWay(endpoint)
      yield* sql`UPDATE webhook_delivery SET attempt = 2 WHERE id = ${first!.id}`
      yield* settleAs(404, [first!])
      const { attempts, status } = yield* deliveryOf(first!.id)
      assert.deepStrictEqual([status, attempts[0].status_code], ["pending", 404])
    })
  )

  it.effect("a delivery that is cancelled during its attempt stays cancelled, unless it arrived", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* newEndpoint()
      const [arrives, fails] = yield* underWay(endpoint, 2)
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`
        UPDATE webhook_delivery SET status = 'cancelled', next_attempt_at = NULL, finished_at = ${now}
        WHERE endpoint_id = ${endpoint.id}
      `
      yield* settleAs(200, [arrives!])
      yield* settleAs(500, [fails!])
      assert.deepStrictEqual(
        [(yield* deliveryOf(arrives!.id)).status, (yield* deliveryOf(fails!.id)).status],
        ["delivered", "cancelled"]
      )
    })
  )

  it.effect("a lost last attempt counts as delivered when it arrived", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* newEndpoint()
      const attempts = yield* underWay(endpoint, 2, 5)
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`
          UPDATE webhook_delivery SET status = 'abandoned', next_attempt_at = NULL, finished_at = ${now}
          WHERE endpoint_id = ${endpoint.id}
        `
      yield* settleAs(204, attempts.slice(0, 1))
      yield* settleAs(500, attempts.slice(1))
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 1, abandoned: 1 })
    })
  )

  it.effect("the deletion of an endpoint during an attempt affects no other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [deleted, other] = [yield* newEndpoint(), yield* newEndpoint()]
      const reply = yield* Deferred.make<void>()
      const { idle, next } = yield* dispatching(() => Effect.as(Deferred.await(reply), answer(200)))
      for (const endpoint of [deleted, other]) yield* record(endpoint)
      yield* Effect.all([next, next])
      yield* sql`DELETE FROM webhook_endpoint WHERE id = ${deleted.id}`
      yield* Deferred.succeed(reply, undefined)
      yield* idle
      assert.deepStrictEqual(yield* statusesOf(deleted), {})
      assert.deepStrictEqual(yield* statusesOf(other), { delivered: 1 })
    })
  )

  it.effect("an endpoint that its owner disabled causes no warning", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* answered(endpoint, 500)
      const attempts = yield* underWay(endpoint)
      yield* changeEndpoint(endpoint, { enabled: false })
      yield* TestClock.adjust("10 days")
      yield* settleAs(500, attempts)
      assert.deepStrictEqual(yield* noticesOf(endpoint), [])
    })
  )
})
