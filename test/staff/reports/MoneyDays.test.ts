import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as MoneyDays from "../../../src/staff/reports/MoneyDays.ts"
import * as DayClose from "../../../src/staff/reports/DayClose.ts"
import { DayCloseRepo } from "../../../src/staff/reports/DayCloseRepo.ts"
import { MoneyDaysRepo } from "../../../src/staff/reports/MoneyDaysRepo.ts"
import { messageOf } from "../../wallet/DatabaseRefusal.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { proxy } from "../../orders/changes/ProxyChangeTesting.ts"
import { layer as refunding } from "../../orders/refunds/RefundTesting.ts"

const services = Layer.provideMerge(Layer.mergeAll(DayCloseRepo.layer, MoneyDaysRepo.layer), refunding)

/** Flows whose sums differ from those of their records. */
const wrong = SqlClient.SqlClient.use(
  (sql) => sql<{ flow: string }>`
    SELECT flow FROM (
      SELECT 1 AS side, day, flow, channel, entries, amount, usd, cost_usd FROM money
      UNION ALL SELECT -1, day, flow, channel, entries, amount, usd, cost_usd FROM money_record
    ) both_sides
    GROUP BY day, flow, channel
    HAVING (sum(side * entries), sum(side * amount), sum(side * usd), sum(side * cost_usd)) <> (0, 0, 0, 0)
    UNION ALL
    SELECT split FROM (
      SELECT split, value, flow, day, entries, amount, usd, cost_usd, 1 AS side FROM money_split
      UNION ALL
      SELECT s.split, s.value, flow, s.at, entries, amount, usd, cost_usd, -1 FROM money CROSS JOIN LATERAL (
        VALUES ('all', day, NULL), ('provider', day, provider), ('kind', day, proxy_type), ('country', day, country),
          ('offer', day, offer_id::text), ('channel', day, channel),
          ('country_week', date_trunc('week', day::timestamp)::date, country),
          ('country_month', date_trunc('month', day::timestamp)::date, country),
          ('offer_month', date_trunc('month', day::timestamp)::date, offer_id::text)
      ) s (split, at, value)
    ) splits
    GROUP BY split, value, flow, day
    HAVING (sum(side * entries), sum(side * amount), sum(side * usd), sum(side * cost_usd)) <> (0, 0, 0, 0)
  `
)

const counts = SqlClient.SqlClient.use(
  (sql) => sql<{ noted: number; counted: number }>`
    SELECT (SELECT count(*)::int FROM money_note) AS noted, (SELECT sum(entries)::int FROM money_day) AS counted
  `
)

layer(services)("Daily sums of money", (it) => {
  it.effect("never miss or repeat a record while many are booked and two instances add them", () =>
    Effect.gen(function* () {
      const days = yield* MoneyDaysRepo
      const buying = Effect.replicateEffect(proxy("Residential"), 12, { concurrency: "unbounded" })
      const compacting = Effect.replicateEffect(Effect.andThen(days.compact(3), wrong), 30)
      const [, ...seen] = yield* Effect.all([buying, compacting, compacting], { concurrency: "unbounded" })
      assert.deepStrictEqual(seen.flat(2), [])
      yield* Effect.all([MoneyDays.run, MoneyDays.run], { concurrency: 2 })
      // Deposit, payment and delivery of each customer.
      assert.deepStrictEqual(yield* counts, [{ noted: 0, counted: 36 }])
      assert.deepStrictEqual(yield* wrong, [])
    })
  )

  it.effect("count a record that commits late, and none that is rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      const [booked, waits] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const late = sql.withTransaction(
        Fixtures.fund(user, 7n).pipe(
          Effect.andThen(Deferred.succeed(booked, undefined)),
          Effect.andThen(Deferred.await(waits))
        )
      )
      const fiber = yield* Effect.forkChild(late)
      yield* Deferred.await(booked)
      yield* Fixtures.fund(yield* Fixtures.newUser, 5n)
      yield* MoneyDays.run
      const [{ noted: before } = { noted: -1 }] = yield* counts
      assert.strictEqual(before, 0)
      yield* Deferred.succeed(waits, undefined)
      yield* Fiber.join(fiber)
      yield* Effect.exit(sql.withTransaction(Effect.andThen(Fixtures.fund(user, 9n), Effect.die("rolled back"))))
      assert.deepStrictEqual((yield* counts)[0]?.noted, 1)
      assert.deepStrictEqual(yield* wrong, [])
      yield* MoneyDays.run
      assert.deepStrictEqual(yield* wrong, [])
    })
  )

  it.effect("stay right when an instance is killed in the middle of adding", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const days = yield* MoneyDaysRepo
      yield* proxy("Datacenter")
      yield* MoneyDays.run
      yield* proxy("Datacenter")
      const [before] = yield* counts
      const [locked, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          sql`SELECT FROM money_day WHERE flow = 'order' FOR UPDATE`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(ended))
          )
        )
      )
      yield* Deferred.await(locked)
      // It has taken the notes, and waits for the locked sum.
      const instance = yield* Effect.forkChild(Effect.exit(days.compact(5000)))
      const kill = sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%money_day%'
      `
      yield* Effect.repeat(kill, { until: (rows) => rows.length > 0 })
      const killed = yield* Fiber.join(instance)
      yield* Deferred.succeed(ended, undefined)
      yield* Fiber.join(holder)
      assert.isTrue(Exit.isFailure(killed))
      assert.deepStrictEqual(yield* counts, [before!])
      assert.deepStrictEqual(yield* wrong, [])
      yield* MoneyDays.run
      assert.deepStrictEqual([(yield* counts)[0]?.noted, yield* wrong], [0, []])
    })
  )

  it.effect("are stored once for a day that has ended, and then stay", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* proxy("Datacenter")
      yield* TestClock.setTime(86_400_000 * 2 + 14 * 60_000)
      yield* Effect.all([DayClose.run, DayClose.run], { concurrency: 2 })
      assert.lengthOf(yield* sql`SELECT day FROM customer_day`, 1)
      yield* TestClock.adjust("1 minute")
      yield* Effect.all([DayClose.run, DayClose.run], { concurrency: 2 })
      assert.lengthOf(yield* sql`SELECT day FROM customer_day`, 2)
      const message = messageOf(yield* Effect.flip(sql`UPDATE deferred_day SET amount_usd = 1`))
      assert.include(message, "the figures of a day stay as they were stored")
    })
  )
})
