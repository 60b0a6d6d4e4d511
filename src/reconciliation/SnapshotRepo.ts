import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { Section, Tell } from "./Finding.ts"
import * as LedgerChecks from "./LedgerChecksRepo.ts"
import * as OrderChecks from "./OrderChecksRepo.ts"
import * as PaymentChecks from "./PaymentChecksRepo.ts"

/** A rule, as a query for what breaks it: rows of `subject` and `problem`. */
export interface Check {
  readonly section: Section
  readonly remedy: string
  readonly rows: Statement.Fragment
}

/** Of more than these differences of one kind only the number is told. */
const listed = 1000

const Broken = Schema.Struct({ subject: Schema.String, problem: Schema.String, total: Schema.Int })
const decodeBroken = Schema.decodeUnknownEffect(Schema.Array(Broken))
const decodeCounted = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ what: Schema.String })]))

/** What the database alone can tell. */
export class SnapshotRepo extends Context.Service<SnapshotRepo>()("app/reconciliation/SnapshotRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const run = Effect.fnUntraced(function* ({ remedy, rows, section }: Check, tell: Tell) {
      const found = yield* decodeBroken(
        yield* sql`
        SELECT subject, problem, count(*) OVER ()::int AS total FROM (${rows}) broken ORDER BY subject LIMIT ${listed}
      `
      )
      const difference = { _tag: "Difference", section, remedy } as const
      yield* Effect.forEach(found, ({ problem, subject }) => tell({ ...difference, subject, problem }))
      const more = (found[0]?.total ?? 0) - found.length
      if (more > 0) yield* tell({ ...difference, subject: `${more} more`, problem: "differ in the same way" })
    })

    /** All of it sees the database at one moment, however long it takes and whatever goes on meanwhile. */
    const compare = Effect.fnUntraced(
      function* (moments: OrderChecks.Moments, tell: Tell) {
        yield* sql`SET LOCAL statement_timeout = 0`
        const parts = [LedgerChecks.make(sql), OrderChecks.make(sql, moments), PaymentChecks.make(sql, moments.now)]
        for (const { checks, counted, section } of parts) {
          yield* Effect.forEach(checks, (check) => run(check, tell), { discard: true })
          const [{ what }] = yield* decodeCounted(yield* counted)
          yield* tell({ _tag: "Checked", section, what })
        }
      },
      (effect): Effect.Effect<void, SqlError.SqlError | Schema.SchemaError> => sql.withTransaction(effect),
      Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      Effect.orDie
    )

    return { compare }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
