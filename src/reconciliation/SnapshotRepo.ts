import { type Cause, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { Report, Section } from "./Finding.ts"
import * as AuditChecks from "./AuditChecksRepo.ts"
import * as LedgerChecks from "./LedgerChecksRepo.ts"
import * as OrderChecks from "./OrderChecksRepo.ts"
import * as PaymentChecks from "./PaymentChecksRepo.ts"

/** A rule, as a query for the records that break it: rows of `subject` and `problem`. */
export interface Check {
  readonly section: Section
  readonly remedy: string
  readonly rows: Statement.Fragment
}

/** Maximum number of differences of one kind in a report. The report only counts the rest. */
const mostListed = 1000

const Broken = Schema.Struct({ subject: Schema.String, problem: Schema.String, total: Schema.Int })
const Counted = Schema.Struct({ what: Schema.String })

/** Checks that need only the database. */
export class SnapshotRepo extends Context.Service<SnapshotRepo>()("app/reconciliation/SnapshotRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const readBroken = Rows.all(Broken)
    const readCounted = Rows.first(Counted)

    const run = Effect.fnUntraced(function* ({ remedy, rows, section }: Check, report: Report) {
      const found = yield* readBroken(
        sql`
        SELECT subject, problem, count(*) OVER ()::int AS total FROM (${rows}) broken ORDER BY subject LIMIT ${mostListed}
      `
      )
      const difference = { _tag: "Difference", section, remedy } as const
      yield* Effect.forEach(found, ({ problem, subject }) => report({ ...difference, subject, problem }))
      const more = (found[0]?.total ?? 0) - found.length
      if (more > 0) yield* report({ ...difference, subject: `${more} more`, problem: "differ in the same way" })
    })

    /** Runs all checks in one snapshot of the database, so that changes in the meantime are not differences. */
    const compare = Effect.fnUntraced(
      function* (moments: OrderChecks.Moments, report: Report) {
        yield* sql`SET LOCAL statement_timeout = 0`
        const parts = [
          LedgerChecks.make(sql),
          OrderChecks.make(sql, moments),
          PaymentChecks.make(sql, moments.now),
          AuditChecks.make(sql)
        ]
        for (const { checks, counted, section } of parts) {
          yield* Effect.forEach(checks, (check) => run(check, report), { discard: true })
          const { what } = yield* Effect.flatMap(readCounted(counted), Effect.fromOption)
          yield* report({ _tag: "Checked", section, what })
        }
      },
      (effect): Effect.Effect<void, SqlError.SqlError | Cause.NoSuchElementError> => sql.withTransaction(effect),
      Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      Effect.orDie
    )

    return { compare }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
