import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import * as Wire from "../../faults/Wire.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** Writes in a transaction through a wire that applies `verdict` at its commit; answers the outcome. */
const written = Effect.fnUntraced(function* (verdict: Wire.Verdict) {
  const { database, host, port, username } = yield* TestDatabase.configEmpty
  const points: Array<string> = []
  let kills = 0
  const wire = yield* Wire.serve(path.join(host, `.s.PGSQL.${port}`), {
    judge: (point) => {
      points.push(point.replace(/ #.*/, ""))
      return point.startsWith("COMMIT") ? verdict : "pass"
    },
    kill: () => void (kills += 1)
  })
  const direct = PgClient.layer({ host, port, username, database, maxConnections: 1 })
  const wired = PgClient.layer({ host: "127.0.0.1", port: wire, username, database, maxConnections: 1 })
  const run = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>, client: typeof direct) =>
    Effect.flatMap(SqlClient.SqlClient, work).pipe(Effect.provide(client))

  yield* run((sql) => sql`CREATE TABLE wallet (balance integer)`, direct)
  const write = run(
    (sql) =>
      sql.withTransaction(Effect.andThen(sql`SELECT ${1}::int`, sql`INSERT INTO wallet ${sql.insert({ balance: 5 })}`)),
    wired
  )
  const hasAnswer = Exit.isSuccess(yield* Effect.exit(write))
  const rows = yield* run((sql) => sql`SELECT balance FROM wallet`, direct)
  return { hasAnswer, kills, isWritten: rows.length === 1, points }
})

it.live.each([
  ["pass", { hasAnswer: true, kills: 0, isWritten: true }],
  ["kill before", { hasAnswer: false, kills: 1, isWritten: false }],
  ["kill after", { hasAnswer: false, kills: 1, isWritten: true }],
  ["lose answer", { hasAnswer: false, kills: 0, isWritten: true }]
] as const)("The wire to the database can %s at a commit", ([verdict, outcome]) =>
  Effect.gen(function* () {
    const { points, ...seen } = yield* written(verdict)
    assert.deepStrictEqual(seen, outcome)
    assert.deepStrictEqual(points, ["INSERT wallet", "COMMIT (INSERT wallet)"])
  })
)
