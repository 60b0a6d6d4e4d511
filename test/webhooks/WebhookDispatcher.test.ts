import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Wakes } from "../../src/platform/postgres/Wakes.ts"
import { WebhookDeliveriesRepo } from "../../src/webhooks/WebhookDeliveriesRepo.ts"
import { held } from "../support/Locks.ts"
import {
  answer,
  changeEndpoint,
  deleteAccount,
  deliveryOf,
  dispatching,
  endpointOf,
  layer as domain,
  newEndpoint,
  record,
  statusesOf
} from "./DispatchTesting.ts"
import { dueTo } from "./DueDeliveries.ts"
import * as Orders from "./LiveOrders.ts"

/** Lets other fibers run. */
const moment = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

const until = (holds: () => boolean) => Effect.andThen(Effect.repeat(moment, { until: holds }), moment)

/** Moves the clock until `holds`: on a busy machine a wait may begin later than the clock was moved. */
const passTimeUntil = (holds: () => boolean) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 millis"), moment), { until: holds })

layer(domain)("WebhookDispatcher", (it) => {
  it.effect("a change of a proxy's status creates its delivery in the same transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* newEndpoint()
      const order = yield* Orders.live(endpoint.user_id)
      const { idle, next, sent } = yield* dispatching(() => answer(204))
      yield* Effect.gen(function* () {
        yield* Orders.setStatus(order, "expiring")
        yield* moment
        assert.deepStrictEqual(sent, [])
      }).pipe(sql.withTransaction)
      yield* Wakes.use(({ wake }) => wake("proxy_status", [order]))
      const { attempt, event, id, url } = yield* next
      assert.deepStrictEqual(
        [event.order_id, event.status, event.previous_status, attempt, url],
        [order, "expiring", "active", 1, "https://example.com/hooks"]
      )
      yield* idle
      const { attempts, status } = yield* deliveryOf(id)
      assert.strictEqual(status, "delivered")
      assert.deepStrictEqual(
        attempts.map(({ error, status_code }: any) => [status_code, error]),
        [[204, null]]
      )
      assert.isNotNull((yield* endpointOf(endpoint)).last_delivery_at)
    })
  )

  it.effect("the dispatcher sends earlier deliveries when it starts", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const [id] = yield* record(endpoint)
      const { idle, next } = yield* dispatching(() => answer(200))
      assert.strictEqual((yield* next).id, id)
      yield* idle
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 1 })
    })
  )

  it.effect("a good endpoint has at most eight attempts in flight", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      let [begun, inFlight, most] = [0, 0, 0]
      const full = yield* Deferred.make<void>()
      const { idle, sent } = yield* dispatching(() =>
        Effect.gen(function* () {
          most = Math.max(most, ++inFlight)
          if (most === 8) yield* Deferred.succeed(full, undefined)
          // The first three are delivered one by one, which raises the endpoint's slots.
          yield* ++begun > 3 ? Deferred.await(full) : Effect.void
          yield* moment
          inFlight--
          return answer(200)
        })
      )
      const ids = yield* record(endpoint, 100)
      yield* Effect.repeat(moment, { until: () => sent.length === 100 })
      yield* idle
      assert.strictEqual(most, 8)
      assert.sameMembers(
        sent.map(({ id }) => id),
        ids
      )
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 100 })
    })
  )

  it.effect("an endpoint that does not answer has one attempt in flight and delays no other", () =>
    Effect.gen(function* () {
      const [hanging, healthy] = [yield* newEndpoint(), yield* newEndpoint()]
      const { sent } = yield* dispatching(({ endpoint_id }, hang) => (endpoint_id === hanging.id ? hang : answer(200)))
      yield* record(hanging, 20)
      yield* record(healthy, 20)
      yield* Effect.repeat(Effect.andThen(moment, statusesOf(healthy)), { until: ({ delivered }) => delivered === 20 })
      assert.lengthOf(
        sent.filter(({ endpoint_id }) => endpoint_id === hanging.id),
        1
      )
      yield* changeEndpoint(hanging, { enabled: false })
    })
  )

  it.effect("two instances share the work and send nothing twice", () =>
    Effect.gen(function* () {
      const endpoints = yield* Effect.replicateEffect(newEndpoint(), 10)
      const one = yield* dispatching(() => Effect.as(moment, answer(200)))
      const other = yield* dispatching(() => Effect.as(moment, answer(200)))
      yield* Effect.forEach(endpoints, (endpoint) => record(endpoint, 20), { concurrency: 4 })
      const all = Effect.sync(() => one.sent.length + other.sent.length)
      const done = Effect.repeat(Effect.andThen(moment, all), { until: (count) => count >= 200 }).pipe(
        Effect.andThen(Effect.all([one.idle, other.idle]))
      )
      // An instance waits for an endpoint that the other one is settling.
      yield* Effect.raceFirst(done, Effect.forever(Effect.andThen(moment, TestClock.adjust("50 millis"))))
      const ids = [...one.sent, ...other.sent].map(({ id }) => id)
      assert.lengthOf(ids, 200)
      assert.strictEqual(new Set(ids).size, 200)
      assert.isAbove(one.sent.length, 0)
      assert.isAbove(other.sent.length, 0)
      for (const endpoint of endpoints) assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 20 })
    })
  )

  it.effect("the dispatcher sends nothing to disabled endpoints or for deleted accounts", () =>
    Effect.gen(function* () {
      const [disabled, orphan, fine] = [
        yield* newEndpoint({ enabled: false }),
        yield* newEndpoint(),
        yield* newEndpoint()
      ]
      yield* deleteAccount(orphan)
      const { idle, next, sent } = yield* dispatching(() => answer(200))
      for (const endpoint of [disabled, orphan, fine]) yield* record(endpoint)
      assert.strictEqual((yield* next).endpoint_id, fine.id)
      yield* idle
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(yield* statusesOf(disabled), { pending: 1 })
    })
  )

  it.effect("a stop lets attempts under way end and settles them", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const reply = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { next } = yield* Scope.provide(
        dispatching(() => Effect.as(Deferred.await(reply), answer(200))),
        scope
      )
      const [id] = yield* record(endpoint)
      yield* next
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* moment
      assert.isUndefined(stopped.pollUnsafe())
      yield* Deferred.succeed(reply, undefined)
      yield* Fiber.join(stopped)
      assert.strictEqual((yield* deliveryOf(id)).status, "delivered")
    })
  )

  it.effect("a stop does not wait for a hanging receiver; the lease of the delivery expires later", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const scope = yield* Scope.make()
      const { next } = yield* Scope.provide(
        dispatching(() => Effect.never),
        scope
      )
      const [id] = yield* record(endpoint)
      yield* next
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* moment
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(stopped.pollUnsafe())
      yield* passTimeUntil(() => stopped.pollUnsafe() !== undefined)
      const { attempt, attempts, next_attempt_at, status } = yield* deliveryOf(id)
      assert.deepStrictEqual([status, attempt, attempts[0].duration_ms], ["pending", 1, null])
      assert.strictEqual(next_attempt_at.getTime() - attempts[0].started_at.getTime(), 30_000)
      yield* changeEndpoint(endpoint, { enabled: false })
    })
  )

  it.effect("a stop begins no attempt and waits at most one second for the current turn", () =>
    Effect.gen(function* () {
      const ids = [dueTo("https://example.com/hooks").endpoint_id]
      let claims = 0
      const repo = Layer.mock(WebhookDeliveriesRepo)({
        onRecorded: (_begin, react) =>
          Effect.andThen(
            Effect.sync(() => react(new Set(ids))),
            Effect.never
          ),
        claim: () =>
          Effect.andThen(
            Effect.sync(() => void claims++),
            Effect.never
          )
      })
      const scope = yield* Scope.make()
      yield* Effect.provide(
        Scope.provide(
          dispatching(() => answer(200)),
          scope
        ),
        repo
      )
      yield* until(() => claims === 1)
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* moment
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(stopped.pollUnsafe())
      yield* passTimeUntil(() => stopped.pollUnsafe() !== undefined)
      assert.strictEqual(claims, 1)
    })
  )

  it.effect("a stop takes no turn while attempts under way end", () =>
    Effect.gen(function* () {
      const endpoint = yield* newEndpoint()
      const reply = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { next, sent } = yield* Scope.provide(
        dispatching(() => Effect.as(Deferred.await(reply), answer(200))),
        scope
      )
      yield* record(endpoint, 5)
      yield* next
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* moment
      yield* Deferred.succeed(reply, undefined)
      yield* Fiber.join(stopped)
      assert.lengthOf(sent, 1)
      assert.deepStrictEqual(yield* statusesOf(endpoint), { delivered: 1, pending: 4 })
      yield* changeEndpoint(endpoint, { enabled: false })
    })
  )

  it.effect("while nothing can be settled, no endpoint exceeds its attempts in flight", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [locked, other] = [yield* newEndpoint(), yield* newEndpoint()]
      const { idle, sent } = yield* dispatching(() => answer(200))
      const sentTo = ({ id }: { readonly id: string }) => sent.filter(({ endpoint_id }) => endpoint_id === id).length
      const holder = yield* held(sql`SELECT FROM webhook_endpoint WHERE id = ${locked.id} FOR UPDATE`)
      yield* record(other, 20)
      // Drops the foreign key, because it would wait for the lock.
      yield* sql`SET LOCAL session_replication_role = replica`.pipe(
        Effect.andThen(record(locked, 20)),
        Effect.andThen(sql`SELECT pg_notify('webhook_delivery', ${locked.id})`),
        sql.withTransaction
      )
      const ticking = Effect.andThen(moment, TestClock.adjust("50 millis"))
      yield* Effect.repeat(Effect.andThen(ticking, statusesOf(other)), { until: ({ delivered }) => delivered === 20 })
      yield* Effect.repeat(ticking, { times: 20 })
      assert.strictEqual(sentTo(locked), 1)
      assert.deepStrictEqual(yield* statusesOf(locked), { pending: 20 })
      yield* holder.open
      yield* Fiber.join(holder.running)
      yield* Effect.raceFirst(idle, Effect.forever(ticking))
      assert.deepStrictEqual(yield* statusesOf(locked), { delivered: 20 })
      assert.strictEqual(sentTo(locked), 20)
    })
  )

  it.effect("while the database does not answer, the dispatcher asks every second and forgets nothing", () =>
    Effect.gen(function* () {
      const delivery = { ...dueTo("https://example.com/hooks"), is_proven: true }
      const outOfReach = Effect.die(new Error("the connection is lost"))
      let [listens, claims] = [0, 0]
      const repo = Layer.mock(WebhookDeliveriesRepo)({
        onRecorded: (_begin, react) =>
          Effect.suspend(() => {
            if (++listens === 1) return outOfReach
            react(new Set([delivery.endpoint_id]))
            return Effect.never
          }),
        claim: () => (++claims === 1 ? outOfReach : Effect.succeed(claims === 2 ? [delivery] : []))
      })
      const { sent } = yield* Effect.provide(
        dispatching(() => answer(200)),
        repo
      )
      yield* until(() => listens === 1)
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(listens, 1)
      yield* passTimeUntil(() => claims === 1)
      assert.deepStrictEqual([listens, sent], [2, []])
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(claims, 1)
      yield* passTimeUntil(() => sent.length > 0)
      assert.deepStrictEqual(sent, [delivery])
    })
  )
})
