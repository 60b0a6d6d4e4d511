import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { UserId } from "../../src/accounts/User.ts"
import { defaults } from "../../src/flags/Flag.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { FlagsRepo } from "../../src/flags/FlagsRepo.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const city = "isp.city.enable"

layer(Layer.provideMerge(Flags.layer, TestDatabase.layer))("Flags", (it) => {
  it.effect("have the documented defaults", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      assert.deepStrictEqual(yield* flags.all(yield* Fixtures.newUser), {
        "isp.city.enable": true,
        "ip_reputation.check.enabled": true,
        "orders.mobile.extend.too_early_guard": false
      })
    })
  )

  it.effect("prefer the override of the account, then that of the platform, then the default", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      const user = yield* Fixtures.newUser
      const other = yield* Fixtures.newUser
      const seen = Effect.all([flags.enabled(city), flags.enabled(city, user), flags.enabled(city, other)])

      yield* flags.set(city, null, false)
      assert.deepStrictEqual(yield* seen, [false, false, false])
      yield* flags.set(city, user, true)
      assert.deepStrictEqual(yield* seen, [false, true, false])
      yield* flags.set(city, null, null)
      assert.deepStrictEqual(yield* seen, [true, true, true])
      yield* flags.set(city, user, false)
      assert.deepStrictEqual(yield* seen, [true, false, true])
      yield* flags.set(city, user, null)
      assert.deepStrictEqual(yield* seen, [true, true, true])
    })
  )

  it.effect("keep one override when a flag is set twice, also for the platform", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      for (const owner of [null, user]) {
        yield* flags.set(city, owner, false)
        yield* flags.set(city, owner, true)
      }
      assert.deepStrictEqual(yield* sql`SELECT enabled, count(*)::int AS n FROM flag_override GROUP BY enabled`, [
        { enabled: true, n: 2 }
      ])
      yield* flags.set(city, null, null)
      yield* flags.set(city, null, null)
    })
  )

  it.effect("refuse an unknown name and an unknown account, in the service and in the database", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      const unknown = yield* Effect.flip(flags.set("isp.city", null, true))
      assert.strictEqual(unknown._tag, "FlagUnknown")
      assert.include(unknown.message, "orders.mobile.extend.too_early_guard")
      const nobody = UserId.make("0b8f2f7e-8f4c-4a7a-9d27-00000000000a")
      assert.strictEqual((yield* Effect.flip(flags.set(city, nobody, true)))._tag, "FlagAccountUnknown")

      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(
        sql`INSERT INTO flag_override (name, enabled, created_at, updated_at) VALUES ('isp.city', true, 'epoch', 'epoch')`
      )
      assert.strictEqual(error.reason._tag, "ConstraintError")
    })
  )

  it.effect("lose the overrides of an account when the account is removed", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* flags.set(city, user, false)
      yield* sql`DELETE FROM user_account WHERE id = ${user}`
      assert.isTrue(yield* flags.enabled(city, user))
    })
  )

  it.effect("read the platform's flags with one query in 5 seconds, and do not keep a failed read", () =>
    Effect.gen(function* () {
      const queries = yield* Ref.make(0)
      const isDead = yield* Ref.make(false)
      const repo = Layer.mock(FlagsRepo)({
        overrides: () =>
          Effect.gen(function* () {
            yield* Ref.update(queries, (n) => n + 1)
            if (yield* Ref.get(isDead)) return yield* Effect.die(new Error("the database is away"))
            return [{ name: city, enabled: false }]
          })
      })
      yield* Effect.gen(function* () {
        const flags = yield* Flags
        for (let times = 0; times < 10; times++) assert.isFalse(yield* flags.enabled(city))
        assert.strictEqual(yield* Ref.get(queries), 1)
        yield* TestClock.adjust("5 seconds")
        yield* Ref.set(isDead, true)
        yield* Effect.exit(flags.enabled(city))
        yield* Ref.set(isDead, false)
        assert.isFalse(yield* flags.enabled(city))
        assert.strictEqual(yield* Ref.get(queries), 3)
        assert.strictEqual(yield* flags.enabled("ip_reputation.check.enabled"), defaults["ip_reputation.check.enabled"])
      }).pipe(Effect.provide(Layer.fresh(Flags.layerNoDeps).pipe(Layer.provide(repo))))
    })
  )
})
