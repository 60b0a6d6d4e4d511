import { assert, layer, vi } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, References, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { localNode } from "../../../src/gateway/GatewayNode.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import { GatewayTraffic } from "../../../src/gateway/traffic/GatewayTraffic.ts"
import { leaseBytes } from "../../../src/gateway/traffic/TrafficMeter.ts"
import * as ControlDatabase from "../../../src/gateway/control/ControlDatabase.ts"
import { TrafficRepo } from "../../../src/gateway/control/TrafficRepo.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import * as HeldPorts from "../../support/HeldPorts.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { open } from "./MeteredProxy.ts"

const services = Layer.mergeAll(GatewayProxies.layer, GatewayShop.layer(), HeldPorts.layer, TrafficRepo.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

/** Runs the traffic of a gateway until the test ends or `stop` runs. */
const running = Effect.gen(function* () {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(
    Layer.fresh(GatewayTraffic.layer).pipe(Layer.provide(ControlDatabase.layer)),
    scope
  )
  return { ...Context.get(context, GatewayTraffic), stop: Scope.close(scope, Exit.void) }
})

/** Changes the clocks of this process until the test ends. */
const clocks = (change: { readonly wall?: (now: number) => number; readonly own?: (now: number) => number }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const wall = Date.now.bind(Date)
      const own = performance.now.bind(performance)
      vi.spyOn(Date, "now").mockImplementation(() => change.wall?.(wall()) ?? wall())
      vi.spyOn(performance, "now").mockImplementation(() => change.own?.(own()) ?? own())
    }),
    () => Effect.sync(() => vi.restoreAllMocks())
  )

/** Polls until a condition of the database is true. */
const eventually = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  condition.pipe(
    Effect.filterOrFail((met) => met),
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "1 minute" }))),
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

const isUsed = (id: GatewayProxy["id"], bytes: bigint) =>
  eventually(
    Effect.map(
      GatewayProxies.use(({ get }) => get(id)),
      ({ used_bytes }) => used_bytes === bytes
    )
  )

const hour = 3_600_000

layer(services, { excludeTestServices: true })("GatewayTraffic", (it) => {
  it.effect("reports every second, even when the wall clock is set back", () =>
    Effect.gen(function* () {
      const proxy = yield* open(null)
      const { meter } = yield* running
      const metered = meter(proxy)
      metered.configure(proxy)
      metered.spend(10)
      yield* isUsed(proxy.id, 10n)
      yield* clocks({ wall: (now) => now - hour })
      metered.spend(10)
      yield* isUsed(proxy.id, 20n)
    })
  )

  it.effect("settles only the silent gateway, no matter what the clocks show", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* TrafficRepo
      const { id: proxy_id } = yield* open(1_000_000_000n)
      const peer = Effect.gen(function* () {
        const instance = randomUUID()
        yield* repo.register(localNode, instance)
        yield* repo.report(localNode, instance, 1, [{ proxy_id, cycle: 1, bytes: 0, total: 0, hold: true, hours: [] }])
        return instance
      })
      const still = yield* peer
      const moving = yield* peer
      let moves = 0
      yield* sql`UPDATE gateway_instance SET report = report + 1 WHERE id = ${moving}`.pipe(
        Effect.andThen(Effect.sync(() => (moves += 1))),
        Effect.andThen(Effect.sleep("200 millis")),
        Effect.forever,
        Effect.forkScoped
      )
      const origin = performance.now()
      // Time passes only with the moves: a slow machine cannot make a moving gateway look still.
      yield* clocks({ wall: (now) => now + hour, own: () => origin + moves * 1_600 })
      yield* running
      const settled = sql<{ id: string }>`
        SELECT id FROM gateway_instance WHERE settled_at IS NOT NULL AND id IN (${still}, ${moving})
      `
      yield* eventually(Effect.map(settled, (rows) => rows.length > 0))
      assert.deepStrictEqual(yield* settled, [{ id: still }])
      assert.strictEqual((yield* GatewayProxies.use(({ get }) => get(proxy_id))).leased_bytes, BigInt(leaseBytes))
    })
  )

  it.effect("ends in time when the database does not answer", () => {
    const logged: Array<unknown> = []
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxy = yield* open(null)
      const { meter, stop } = yield* running
      const metered = meter(proxy)
      metered.configure(proxy)
      metered.spend(10)
      yield* isUsed(proxy.id, 10n)
      const locked = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        sql`LOCK TABLE gateway_instance IN ACCESS EXCLUSIVE MODE`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Effect.never),
          sql.withTransaction
        )
      )
      yield* Deferred.await(locked)
      metered.spend(10)
      const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
      yield* eventually(
        Effect.map(
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          (waiting) => waiting.length > 0
        )
      )
      yield* TestClock.adjust("1499 millis")
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 milli")
      yield* Fiber.join(stopping)
      // The lock time-out of the database ends it too, after ten seconds.
      assert.include(JSON.stringify(logged), "Cannot report the last traffic: no answer in time")
    }).pipe(
      Effect.provide(TestClock.layer()),
      Effect.provideService(
        References.CurrentLoggers,
        new Set([Logger.make(({ message }) => void logged.push(message))])
      )
    )
  })
})
