import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { localNode } from "../../src/gateway/GatewayNode.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import type { GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import { TrafficRepo } from "../../src/gateway/control/TrafficRepo.ts"
import type { UsageWindow } from "../../src/gateway/UsageRepo.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { open } from "./traffic/MeteredProxy.ts"

const expires_at = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
const at = (iso: string) => DateTime.makeUnsafe(iso)
const seconds = (time: DateTime.Utc) => DateTime.toEpochMillis(time) / 1000

/** Books bytes of a cycle in an hour, as a gateway does. */
const newGateway = Effect.gen(function* () {
  const repo = yield* TrafficRepo
  const instance = randomUUID()
  yield* repo.register(localNode, instance)
  let number = 0
  return (proxy_id: string, cycle: number, hour_seconds: number, bytes: number) => {
    number += 1
    return repo.report(localNode, instance, number, [
      { proxy_id, cycle, bytes, total: bytes, hold: false, hours: [{ hour_seconds, cycle, bytes }] }
    ])
  }
})

const restart = (id: GatewayProxyId) =>
  GatewayProxies.use(({ extend }) =>
    extend(id, { reference: randomUUID(), kind: "restart", expires_at, limit_bytes: null })
  )

const running = (point: number, bytes: bigint) => ({ point, ended_in: null, bytes })

const services = Layer.mergeAll(GatewayProxies.layer, GatewayShop.layer(), HeldPorts.layer, TrafficRepo.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const day: UsageWindow = { from: at("2026-03-04T00:00:00Z"), unit: "day", count: 7 }

layer(services)("Usage of the gateway", (it) => {
  it.effect("is one sum per point, and one for the time before the window", () =>
    Effect.gen(function* () {
      const { usage } = yield* GatewayProxies
      const book = yield* newGateway
      const [one, two, other] = [yield* open(null), yield* open(null), yield* open(null)]
      yield* book(one.id, 1, seconds(at("2025-04-01T00:00:00Z")), 1)
      yield* book(one.id, 1, seconds(at("2026-03-03T23:00:00Z")), 2)
      yield* book(two.id, 1, seconds(at("2026-03-03T23:00:00Z")), 4)
      yield* book(one.id, 1, seconds(at("2026-03-04T00:00:00Z")), 8)
      yield* book(two.id, 1, seconds(at("2026-03-04T23:00:00Z")), 16)
      yield* book(two.id, 1, seconds(at("2026-03-10T12:00:00Z")), 32)
      yield* book(two.id, 1, seconds(at("2026-03-11T00:00:00Z")), 64)
      yield* book(other.id, 1, seconds(at("2026-03-10T12:00:00Z")), 128)
      assert.deepStrictEqual(yield* usage([one.id, two.id], day), [running(-1, 7n), running(0, 24n), running(6, 32n)])
      const hour = { from: at("2026-03-09T13:00:00Z"), unit: "hour", count: 24 } as const
      assert.deepStrictEqual(yield* usage([one.id, two.id], hour), [running(-1, 31n), running(23, 32n)])
    })
  )

  it.effect("separates the cycles of one hour, so that a restart begins at 0", () =>
    Effect.gen(function* () {
      const { usage } = yield* GatewayProxies
      const book = yield* newGateway
      yield* TestClock.setTime(DateTime.toEpochMillis(at("2026-03-08T12:10:00Z")))
      const { id } = yield* open(null)
      const hour = seconds(at("2026-03-08T12:00:00Z"))
      yield* book(id, 1, hour, 20_000)
      yield* TestClock.adjust("10 minutes")
      yield* restart(id)
      yield* book(id, 2, hour, 5)
      yield* book(id, 1, hour, 7)
      assert.deepStrictEqual(yield* usage([id], day), [
        { point: 4, ended_in: 4, bytes: 20_007n },
        { point: 4, ended_in: null, bytes: 5n }
      ])
    })
  )

  const step = Schema.Struct({
    hours: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
    restarts: Schema.Boolean,
    late: Schema.Boolean,
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))
  })

  it.effect.prop(
    "is the same by the hour and by the day, in any order of booking",
    [Schema.Array(step).check(Schema.isMinLength(5), Schema.isMaxLength(25))],
    ([steps]) =>
      Effect.gen(function* () {
        const { usage } = yield* GatewayProxies
        const book = yield* newGateway
        let now = DateTime.toEpochMillis(at("2026-03-01T00:30:00Z"))
        yield* TestClock.setTime(now)
        const { id } = yield* open(null)
        const ends: Array<number> = []
        const booked: Array<{ readonly cycle: number; readonly at: number; readonly bytes: number }> = []
        for (const { bytes, hours, late, restarts } of steps) {
          now += hours * 3_600_000
          yield* TestClock.setTime(now)
          if (restarts) {
            yield* restart(id)
            ends.push(now)
          }
          const cycle = Math.max(1, ends.length + (late ? 0 : 1))
          const hour = Math.floor(now / 3_600_000) * 3_600
          yield* book(id, cycle, hour, bytes)
          booked.push({ cycle, at: hour * 1000, bytes })
        }
        for (const [unit, width, count] of [["hour", 3_600_000, 24 * 7] as const, ["day", 86_400_000, 7] as const]) {
          const point = (time: number) => Math.floor((time - DateTime.toEpochMillis(day.from)) / width)
          const expected = new Map<string, number>()
          for (const { at, bytes, cycle } of booked) {
            const end = ends[cycle - 1]
            const ended_in = end === undefined ? null : point(end)
            const before = point(at) < 0
            if (point(at) >= count || (before && ended_in !== null && ended_in <= 0)) continue
            const key = `${before ? -1 : point(at)} ${ended_in}`
            expected.set(key, (expected.get(key) ?? 0) + bytes)
          }
          const sums = yield* usage([id], { ...day, unit, count })
          assert.sameDeepMembers(
            sums.map(({ bytes, ended_in, point }) => [`${point} ${ended_in}`, Number(bytes)]),
            [...expected]
          )
        }
      }),
    { arbitrary: { runs: 12 } }
  )
})
