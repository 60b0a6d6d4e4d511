import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { AttemptResult } from "../../src/webhooks/WebhookAttempt.ts"
import { WebhookDeliveriesRepo } from "../../src/webhooks/WebhookDeliveriesRepo.ts"
import { WebhookDispatcher } from "../../src/webhooks/WebhookDispatcher.ts"
import * as WebhookRetries from "../../src/webhooks/WebhookRetries.ts"
import {
  answer,
  changeEndpoint,
  deleteAccount,
  deliveryOf,
  dispatching,
  layer as domain,
  newEndpoint,
  noAnswer,
  record,
  statusesOf
} from "./DispatchTesting.ts"

/** The events of one delivery to a receiver that always answers the same, minute by minute. */
const outcomeOf = Effect.fnUntraced(function* (result: AttemptResult) {
  const endpoint = yield* newEndpoint()
  const { idle, next, round, sent } = yield* dispatching(() => result)
  const [id] = yield* record(endpoint)
  yield* next
  yield* idle
  for (let minute = 0; minute < 14; minute++) {
    yield* TestClock.adjust("1 minute")
    yield* round
  }
  return { delivery: yield* deliveryOf(id), sent }
})

layer(domain)("WebhookRetries", (it) => {
  it.effect.each([
    ["200", answer(200), "delivered", 1],
    ["204", answer(204), "delivered", 1],
    ["299", answer(299), "delivered", 1],
    ["301", answer(301), "failed", 1],
    ["304", answer(304), "failed", 1],
    ["400", answer(400), "failed", 1],
    ["401", answer(401), "failed", 1],
    ["403", answer(403), "failed", 1],
    ["404", answer(404), "failed", 1],
    ["410", answer(410), "failed", 1],
    ["422", answer(422), "failed", 1],
    ["408", answer(408), "abandoned", 5],
    ["409", answer(409), "abandoned", 5],
    ["425", answer(425), "abandoned", 5],
    ["429", answer(429), "abandoned", 5],
    ["500", answer(500), "abandoned", 5],
    ["503", answer(503), "abandoned", 5],
    ["599", answer(599), "abandoned", 5],
    ["a timeout", noAnswer("No answer within 10 seconds"), "abandoned", 5],
    ["a connection error", noAnswer("Connection refused"), "abandoned", 5],
    ["a DNS failure", noAnswer("The name does not resolve"), "abandoned", 5]
  ] as const)("%s: the delivery is %s in the end", ([, result, status, times]) =>
    Effect.gen(function* () {
      const { delivery, sent } = yield* outcomeOf(result)
      assert.deepStrictEqual([delivery.status, delivery.attempt], [status, times])
      assert.isNull(delivery.next_attempt_at)
      assert.deepStrictEqual(delivery.finished_at, delivery.attempts.at(-1).started_at)
      assert.deepStrictEqual(
        delivery.attempts.map(({ attempt, duration_ms, error, status_code }: any) => ({
          attempt,
          duration_ms,
          error,
          status_code
        })),
        Array.from({ length: times }, (_, index) => ({ ...result, attempt: index + 1 }))
      )
      assert.deepStrictEqual(
        sent.map(({ attempt, event, id }) => [id, event.id, attempt]),
        Array.from({ length: times }, (_, index) => [delivery.id, delivery.event_id, index + 1])
      )
    })
  )

  it.effect("waits 30 s, 1 min, 2 min and 4 min, and gives up after the fifth attempt", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const { idle, next, round, sent } = yield* dispatching(() => answer(503))
      const [id] = yield* record(endpoint)
      yield* next
      yield* idle
      const waits: Array<number> = []
      for (let second = 0; waits.length < 4; second += 10) {
        yield* TestClock.adjust("10 seconds")
        yield* round
        if (sent.length === waits.length + 2) waits.push(second + 10 - waits.reduce((sum, wait) => sum + wait, 0))
      }
      assert.deepStrictEqual(waits, [30, 60, 120, 240])
      assert.strictEqual((yield* deliveryOf(id)).status, "abandoned")
      yield* TestClock.adjust("3 hours")
      yield* round
      assert.lengthOf(sent, 5)
    })
  )

  it.effect("a receiver that recovers gets the event once, in the next attempt", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const { idle, next, round, sent } = yield* dispatching(({ attempt }) => answer(attempt < 3 ? 500 : 200))
      const [id] = yield* record(endpoint)
      yield* next
      yield* idle
      for (let minute = 0; minute < 5; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* round
      }
      assert.lengthOf(sent, 3)
      const { attempt, attempts, status } = yield* deliveryOf(id)
      assert.deepStrictEqual([status, attempt], ["delivered", 3])
      assert.deepStrictEqual(
        attempts.map(({ status_code }: any) => status_code),
        [500, 500, 200]
      )
    })
  )

  it.effect("a retry that is due while its endpoint is disabled is cancelled; an earlier one waits", () =>
    Effect.gen(function* () {
      const [off, offAndOn] = [yield* newEndpoint(), yield* newEndpoint()]
      const { idle, next, round, sent } = yield* dispatching(() => answer(500))
      for (const endpoint of [off, offAndOn]) yield* record(endpoint)
      yield* Effect.all([next, next])
      yield* idle
      for (const endpoint of [off, offAndOn]) yield* changeEndpoint(endpoint, { enabled: false })
      yield* TestClock.adjust("29 seconds")
      yield* round
      assert.deepStrictEqual(yield* statusesOf(off), { pending: 1 })
      yield* changeEndpoint(offAndOn, { enabled: true })
      yield* TestClock.adjust("1 second")
      yield* round
      assert.deepStrictEqual(yield* statusesOf(off), { cancelled: 1 })
      yield* changeEndpoint(off, { enabled: true })
      yield* TestClock.adjust("5 minutes")
      yield* round
      const receivers = sent.map(({ endpoint_id }) => endpoint_id)
      // The first deliveries are sent at the same time.
      assert.sameMembers(receivers.slice(0, 2), [off.id, offAndOn.id])
      assert.deepStrictEqual(receivers.slice(2), [offAndOn.id, offAndOn.id])
    })
  )

  it.effect("pending deliveries of a suspended account wait, and are sent when it is free", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* newEndpoint()
      const { idle, round, sent } = yield* dispatching(() => answer(200))
      const block = (is: boolean) => sql`UPDATE user_account SET service_blocked = ${is} WHERE id = ${endpoint.user_id}`
      yield* block(true)
      const [id] = yield* record(endpoint)
      yield* TestClock.adjust("1 minute")
      yield* round
      yield* idle
      assert.deepStrictEqual([sent.length, (yield* deliveryOf(id)).status], [0, "pending"])
      yield* block(false)
      yield* TestClock.adjust("1 minute")
      yield* round
      yield* idle
      assert.strictEqual((yield* deliveryOf(id)).status, "delivered")
    })
  )

  it.effect("pending deliveries of a deleted account are cancelled", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      yield* deleteAccount(endpoint)
      yield* record(endpoint, 3)
      const { round, sent } = yield* dispatching(() => answer(200))
      yield* round
      assert.deepStrictEqual(yield* statusesOf(endpoint), { cancelled: 3 })
      assert.lengthOf(sent, 0)
    })
  )

  it.effect("an attempt that is lost with its process is repeated after its lease, with the same ids", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const now = yield* DateTime.now
      const [id] = yield* record(endpoint, 1, {
        attempt: 1,
        next_attempt_at: DateTime.formatIso(DateTime.add(now, { seconds: 30 }))
      })
      const { round, sent } = yield* dispatching(() => answer(200))
      yield* TestClock.adjust("29 seconds")
      yield* round
      assert.lengthOf(sent, 0)
      yield* TestClock.adjust("1 second")
      yield* round
      assert.deepStrictEqual(
        sent.map(({ attempt, id }) => [id, attempt]),
        [[id, 2]]
      )
    })
  )

  it.effect("a lost fifth attempt is the last one", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const { round, sent } = yield* dispatching(() => answer(200))
      yield* record(endpoint, 1, { attempt: 5 })
      yield* round
      assert.deepStrictEqual(yield* statusesOf(endpoint), { abandoned: 1 })
      assert.lengthOf(sent, 0)
    })
  )

  it.effect("due deliveries are sent even when the rest of the round fails", () =>
    Effect.gen(function* () {
      let woken = 0
      const failing = Layer.mock(WebhookDeliveriesRepo)({
        cancelUnwanted: () => Effect.die(new Error("no")),
        abandonLost: () => Effect.succeed(0)
      })
      const dispatcher = Layer.mock(WebhookDispatcher)({ wakeDue: Effect.sync(() => void woken++) })
      yield* Effect.exit(Effect.provide(WebhookRetries.run, [failing, dispatcher]))
      assert.strictEqual(woken, 1)
    })
  )

  it.effect("the job runs every minute", () =>
    Effect.gen(function* () {
      let rounds = 0
      const nothing = Layer.mock(WebhookDeliveriesRepo)({
        cancelUnwanted: () => Effect.succeed(0),
        abandonLost: () => Effect.succeed(0)
      })
      const dispatcher = Layer.mock(WebhookDispatcher)({ wakeDue: Effect.sync(() => void rounds++) })
      yield* Layer.build(WebhookRetries.layerNoDeps.pipe(Layer.provide([nothing, dispatcher])))
      const counts: Array<number> = []
      for (const time of ["59 seconds", "1 second", "59 seconds", "1 second", "60 seconds"] as const) {
        yield* TestClock.adjust(time)
        counts.push(rounds)
      }
      assert.deepStrictEqual(counts, [0, 1, 1, 2, 3])
    })
  )
})
