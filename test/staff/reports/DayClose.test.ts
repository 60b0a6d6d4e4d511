import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import * as DayClose from "../../../src/staff/reports/DayClose.ts"
import { DayCloseRepo } from "../../../src/staff/reports/DayCloseRepo.ts"
import { MoneyDaysRepo } from "../../../src/staff/reports/MoneyDaysRepo.ts"
import { proxy } from "../../orders/changes/ProxyChangeTesting.ts"
import { layer as refunding } from "../../orders/refunds/RefundTesting.ts"

const services = Layer.provideMerge(Layer.mergeAll(DayCloseRepo.layer, MoneyDaysRepo.layer), refunding)

/** Terms of the past that end after the first day. */
const history = (count: number) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      INSERT INTO revenue_term (transaction_id, order_id, user_id, kind, is_auto_renewal, sold_at, delivered_at, amount_usd,
        provider, proxy_type, country, offer_id, starts_at, ends_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'order', false, begun, begun, 1000000, 'memory',
        'Datacenter', 'US', 1, begun, begun + interval '30 days'
      FROM generate_series(1, ${count}) number
      CROSS JOIN LATERAL (SELECT timestamptz '1970-01-01Z' + number * interval '1 minute' AS begun) times`
  )

/** The most records of a table that one statement of an effect reads. The effect runs in one transaction. */
const mostRead = Effect.fnUntraced(function* <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const seen: Array<number> = []
  const look = sql<{ read: number }>`
    SELECT coalesce(seq_tup_read + idx_tup_fetch, 0)::int AS read FROM pg_stat_xact_user_tables WHERE relname = ${table}
  `.pipe(
    Effect.provideService(Statement.CurrentTransformer, undefined),
    Effect.map(([row]) => void seen.push(row?.read ?? 0)),
    Effect.orDie
  )
  const transform: Statement.Transformer = (statement) => Effect.as(look, statement)
  const watched = Effect.provideService(effect, Statement.CurrentTransformer, transform)
  yield* sql.withTransaction(Effect.andThen(watched, look))
  return Math.max(...seen.slice(1).map((now, at) => now - (seen[at] ?? 0)))
})

layer(services)("The figures of a day", (it) => {
  it.effect("are stored in statements that each read a bounded part of a long history", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* proxy("Datacenter")
      yield* history(50_000)
      yield* sql`ANALYZE revenue_term`
      yield* TestClock.setTime(86_400_000 + 16 * 60_000)
      const most = yield* mostRead("revenue_term", DayClose.run)
      assert.deepStrictEqual(yield* sql`SELECT live FROM customer_day`, [{ live: 1440 }])
      assert.isAtMost(most, 21_000)
    })
  )
})
