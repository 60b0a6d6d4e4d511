import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ProxySyncRounds from "../../../src/orders/proxies/ProxySyncRounds.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { settled } from "../../support/Settled.ts"
import { ordered, runWith, syncAfter } from "./SyncTesting.ts"

layer(Testing.layer)("The rounds of the proxy sync", (it) => {
  it.effect("update each proxy from its provider about every hour", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row } = yield* ordered()
      const before = yield* row
      const expires_at = DateTime.add(yield* DateTime.now, { days: 60 })
      const there = {
        host: "198.51.100.9",
        port: 31_000,
        username: "other",
        password: "changed",
        protocol: "SOCKS5",
        whitelisted_ips: ["192.0.2.1", "2001:db8::1"],
        bandwidth_gb: 12,
        expires_at
      } as const
      memory.edit(id, there)
      yield* ProxySyncRounds.run
      assert.deepStrictEqual([asked(), yield* row], [0, before])
      yield* syncAfter("1 hour")
      const after = yield* row
      for (const [field, value] of Object.entries(there))
        assert.deepStrictEqual(Reflect.get(after, field), value, field)
      assert.deepStrictEqual(after.expiring_at, DateTime.subtract(expires_at, { hours: 72 }))
      yield* syncAfter("1 minute")
      assert.strictEqual(asked(), 1)
      yield* syncAfter("1 hour")
      assert.strictEqual(asked(), 2)
      assert.deepStrictEqual((yield* row).updated_at, after.updated_at)
    })
  )

  it.effect(
    "cancel an order immediately when the provider reports the end of its proxy, and ask for no other proxy",
    () =>
      Effect.gen(function* () {
        const lost = yield* ordered()
        const other = yield* ordered()
        lost.memory.edit(lost.id, { is_live: false })
        yield* ProxySyncRounds.run
        assert.deepStrictEqual([(yield* lost.row).status, (yield* other.row).status], ["cancelled", "provisioned"])
        assert.deepStrictEqual([yield* lost.told, other.asked()], [[["proxy_ended", true]], 0])
        yield* ProxySyncRounds.run
        assert.strictEqual(lost.asked(), 1)
      })
  )

  it.effect("ask a provider that is down again after five minutes", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row } = yield* ordered()
      memory.edit(id, { host: "198.51.100.9" })
      memory.setDown(true)
      yield* syncAfter("1 hour")
      assert.strictEqual((yield* row).status, "provisioned")
      memory.setDown(false)
      yield* syncAfter("1 minute")
      assert.strictEqual(asked(), 1)
      yield* syncAfter("5 minutes")
      assert.deepStrictEqual([asked(), (yield* row).host], [2, "198.51.100.9"])
    })
  )

  it.effect("do not delay the proxies of other providers when one provider hangs", () =>
    Effect.gen(function* () {
      const stuck = yield* ordered()
      const other = yield* ordered()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET provider = 'other' WHERE id = ${other.id}`
      const { provider } = other.memory
      other.memory.edit(other.id, { host: "198.51.100.9" })
      stuck.memory.edit(stuck.id, { host: "198.51.100.9" })
      yield* TestClock.adjust("1 hour")
      const hanging = { ...provider, get: () => Effect.never }
      const round = yield* Effect.forkChild(runWith(hanging, { ...provider, name: "other" }))
      yield* settled
      assert.strictEqual((yield* other.row).host, "198.51.100.9")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(round)
      assert.strictEqual((yield* stuck.row).host, "192.0.2.10")
      yield* syncAfter("5 minutes")
      assert.strictEqual((yield* stuck.row).host, "198.51.100.9")
    })
  )

  it.effect("ask for each proxy once when two instances run", () =>
    Effect.gen(function* () {
      const orders = yield* Effect.all(Array.from({ length: 6 }, () => ordered()))
      yield* TestClock.adjust("1 hour")
      yield* Effect.all([ProxySyncRounds.run, ProxySyncRounds.run, ProxySyncRounds.run], { concurrency: 3 })
      assert.deepStrictEqual(
        orders.map(({ asked }) => asked()),
        orders.map(() => 1)
      )
    })
  )

  it.effect("start once a minute", () =>
    Effect.gen(function* () {
      const { asked } = yield* ordered()
      yield* TestClock.adjust("1 hour")
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* settled
        assert.strictEqual(asked(), 1)
      }).pipe(Effect.provide(ProxySyncRounds.layer))
    })
  )
})
