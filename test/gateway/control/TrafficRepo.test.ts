import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { localNode } from "../../../src/gateway/GatewayNode.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import { leaseBytes } from "../../../src/gateway/traffic/TrafficMeter.ts"
import { TrafficRepo } from "../../../src/gateway/control/TrafficRepo.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import * as HeldPorts from "../../support/HeldPorts.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { open } from "../traffic/MeteredProxy.ts"

const mebibyte = 1024 * 1024
const hour_seconds = 3_600 * 400_000

/** Registers a gateway that reports about one proxy. */
const newGateway = (proxy_id: string) =>
  Effect.gen(function* () {
    const repo = yield* TrafficRepo
    const instance = randomUUID()
    yield* repo.register(localNode, instance)
    const say = (number: number, bytes: number, hold: boolean, cycle = 1) =>
      Effect.map(
        repo.report(localNode, instance, number, [
          { proxy_id, cycle, bytes, total: 0, hold, hours: bytes > 0 ? [{ hour_seconds, cycle, bytes }] : [] }
        ]),
        (answer) => {
          if (answer._tag !== "Booked") return answer
          const [lease] = answer.leases
          if (lease === undefined) return undefined
          const { revision: _, ...rest } = lease
          return rest
        }
      )
    return { instance, say }
  })

const state = Effect.fnUntraced(function* (id: Parameters<GatewayProxies["Service"]["get"]>[0]) {
  const proxies = yield* GatewayProxies
  const { leased_bytes, used_bytes } = yield* proxies.get(id)
  const sql = yield* SqlClient.SqlClient
  const usage = yield* sql<{ bytes: bigint }>`
    SELECT bytes FROM gateway_usage WHERE proxy_id = ${id} ORDER BY cycle, hour
  `
  return { leased: Number(leased_bytes), used: Number(used_bytes), hours: usage.map(({ bytes }) => Number(bytes)) }
})

const services = Layer.mergeAll(GatewayProxies.layer, GatewayShop.layer(), HeldPorts.layer, TrafficRepo.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

layer(services)("TrafficRepo", (it) => {
  it.effect("leases traffic in blocks, books it by the hour, and takes back the unused rest of a lease", () =>
    Effect.gen(function* () {
      const { id } = yield* open(1_000_000_000n)
      const { say } = yield* newGateway(id)
      assert.deepStrictEqual(yield* say(1, 0, true), { proxy_id: id, cycle: 1, leased_bytes: leaseBytes, last: false })
      assert.deepStrictEqual(yield* say(2, 5_000, true), {
        proxy_id: id,
        cycle: 1,
        leased_bytes: leaseBytes,
        last: false
      })
      assert.deepStrictEqual(yield* say(3, 700, false), { proxy_id: id, cycle: 1, leased_bytes: 0, last: false })
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 5_700, hours: [5_700] })
    })
  )

  it.effect("books a report once, no matter how often it arrives", () =>
    Effect.gen(function* () {
      const { id } = yield* open(1_000_000_000n)
      const { say } = yield* newGateway(id)
      yield* say(1, 0, true)
      const answers = yield* Effect.all([say(2, 5_000, true), say(2, 5_000, true), say(2, 5_000, true)], {
        concurrency: 3
      })
      for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      assert.deepStrictEqual(yield* state(id), { leased: leaseBytes, used: 5_000, hours: [5_000] })
    })
  )

  it.effect("needs no lease where traffic is unlimited", () =>
    Effect.gen(function* () {
      const { id } = yield* open(null)
      const { say } = yield* newGateway(id)
      assert.deepStrictEqual(yield* say(1, 5_000_000_000, true), {
        proxy_id: id,
        cycle: 1,
        leased_bytes: 0,
        last: false
      })
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 5_000_000_000, hours: [5_000_000_000] })
    })
  )

  it.effect("shares the end of a limit among gateways, and tells which lease is the last", () =>
    Effect.gen(function* () {
      const { id } = yield* open(BigInt(2 * mebibyte))
      const one = yield* newGateway(id)
      const two = yield* newGateway(id)
      assert.deepStrictEqual(yield* one.say(1, 0, true), {
        proxy_id: id,
        cycle: 1,
        leased_bytes: mebibyte / 2,
        last: false
      })
      assert.deepStrictEqual(yield* two.say(1, 0, true), {
        proxy_id: id,
        cycle: 1,
        leased_bytes: (mebibyte * 3) / 8,
        last: false
      })
      let used = 0
      for (let number = 2; number < 20; number++) {
        const before = yield* state(id)
        const answer = yield* one.say(number, Math.min(before.leased - (mebibyte * 3) / 8, 100_000), true)
        assert.isTrue("last" in answer! && !answer.last)
        used = (yield* state(id)).used
        assert.isAtMost(used + (yield* state(id)).leased, 2 * mebibyte)
      }
      assert.isAbove(used, mebibyte)
      yield* two.say(2, 0, false)
      let lease = yield* one.say(20, 0, true)
      let number = 21
      for (; number < 40 && "last" in lease! && !lease.last; number++) {
        lease = yield* one.say(number, lease.leased_bytes, true)
      }
      const rest = 2 * mebibyte - (yield* state(id)).used
      assert.deepStrictEqual(lease, { proxy_id: id, cycle: 1, leased_bytes: rest, last: true })
      assert.deepStrictEqual(yield* two.say(3, 0, true), { proxy_id: id, cycle: 1, leased_bytes: 0, last: false })
      assert.deepStrictEqual(yield* one.say(number, rest, true), {
        proxy_id: id,
        cycle: 1,
        leased_bytes: 0,
        last: true
      })
      assert.deepStrictEqual(yield* two.say(4, 0, true), { proxy_id: id, cycle: 1, leased_bytes: 0, last: true })
    })
  )

  it.effect("books the leases of a silent gateway as used, and says so when the gateway reports again", () =>
    Effect.gen(function* () {
      const repo = yield* TrafficRepo
      const { id } = yield* open(1_000_000_000n)
      const dead = yield* newGateway(id)
      yield* dead.say(1, 0, true)
      yield* dead.say(2, 1_000, true)
      const settled = yield* Effect.all(
        [1, 2].map(() => repo.settle([{ id: dead.instance, report: 2 }])),
        { concurrency: 2 }
      )
      assert.sameMembers(settled, [0, 1])
      const after = yield* state(id)
      assert.strictEqual(after.leased, 0)
      assert.strictEqual(after.used, 1_000 + leaseBytes)
      assert.strictEqual(
        after.hours.reduce((sum, bytes) => sum + bytes, 0),
        after.used
      )

      assert.deepStrictEqual(yield* dead.say(2, 1_000, true), { _tag: "Settled", booked: true })
      assert.deepStrictEqual(yield* dead.say(3, 9, true), { _tag: "Settled", booked: false })
      assert.deepStrictEqual(yield* state(id), after)
    })
  )

  it.effect("skips a gateway that has reported since it was judged silent", () =>
    Effect.gen(function* () {
      const repo = yield* TrafficRepo
      const { id } = yield* open(1_000_000_000n)
      const alive = yield* newGateway(id)
      yield* alive.say(1, 0, true)
      const judged = (yield* repo.instances(localNode)).filter((instance) => instance.id === alive.instance)
      assert.deepStrictEqual(judged, [{ id: alive.instance, report: 1 }])
      yield* alive.say(2, 0, true)
      assert.strictEqual(yield* repo.settle(judged), 0)
      assert.deepStrictEqual(yield* state(id), { leased: leaseBytes, used: 0, hours: [] })
    })
  )

  it.effect("leases nothing of a closed proxy, and still books its traffic", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const { id } = yield* open(1_000_000_000n)
      const { say } = yield* newGateway(id)
      yield* say(1, 0, true)
      yield* proxies.close(id)
      assert.deepStrictEqual(yield* say(2, 300, true), { proxy_id: id, cycle: 1, leased_bytes: 0, last: false })
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 300, hours: [300] })
    })
  )

  it.effect("does not charge a cycle for earlier leases, and loses none of their bytes", () =>
    Effect.gen(function* () {
      const { extend } = yield* GatewayProxies
      const { expires_at, id } = yield* open(1_000_000_000n)
      const { say } = yield* newGateway(id)
      yield* say(1, 0, true)
      yield* say(2, 1_000, true)
      const terms = { kind: "restart", expires_at, limit_bytes: 10_000n } as const
      yield* extend(id, { ...terms, reference: randomUUID() })
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 0, hours: [1_000] })
      const none = { proxy_id: id, cycle: 2, leased_bytes: 0, last: false }
      assert.deepStrictEqual(yield* say(3, 5_000_000, true), none)
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 0, hours: [5_001_000] })
      assert.deepStrictEqual(yield* say(4, 0, true, 2), { ...none, leased_bytes: 10_000, last: true })
      assert.deepStrictEqual(yield* say(5, 7_000, false, 2), none)
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 7_000, hours: [5_001_000, 7_000] })
    })
  )

  it.effect("books nothing of an ended cycle for a gateway that became silent in it", () =>
    Effect.gen(function* () {
      const repo = yield* TrafficRepo
      const { extend } = yield* GatewayProxies
      const { expires_at, id } = yield* open(1_000_000_000n)
      const dead = yield* newGateway(id)
      yield* dead.say(1, 0, true)
      yield* extend(id, { reference: randomUUID(), kind: "restart", expires_at, limit_bytes: 10_000n })
      assert.strictEqual(yield* repo.settle([{ id: dead.instance, report: 1 }]), 1)
      assert.deepStrictEqual(yield* state(id), { leased: 0, used: 0, hours: [] })
    })
  )

  it.effect("keeps leases within the limit, and equal to their sum, by constraints", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* open(1_000n)
      const over = yield* Effect.flip(sql`UPDATE gateway_proxy SET used_bytes = 1001 WHERE id = ${id}`)
      assert.strictEqual(over.reason._tag, "ConstraintError")
      const unmatched = yield* Effect.flip(sql`UPDATE gateway_proxy SET leased_bytes = 1 WHERE id = ${id}`)
      assert.strictEqual(unmatched.reason._tag, "ConstraintError")
      yield* sql`UPDATE gateway_proxy SET used_bytes = 500 WHERE id = ${id}`
      const broken = [
        sql`UPDATE gateway_proxy SET used_bytes = 499 WHERE id = ${id}`,
        sql`UPDATE gateway_proxy SET expires_at = expires_at - interval '1 second' WHERE id = ${id}`,
        sql`UPDATE gateway_proxy SET cycle = cycle + 1 WHERE id = ${id}`,
        sql`UPDATE gateway_proxy SET cycle = cycle + 2, used_bytes = 0 WHERE id = ${id}`
      ]
      for (const update of broken) assert.strictEqual((yield* Effect.flip(update)).reason._tag, "ConstraintError")
    })
  )
})
