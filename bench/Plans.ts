import { Context, Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"

export interface RecordedStatement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The statements that the program runs during `during`, including those of concurrent work. */
export class StatementLog extends Context.Service<
  StatementLog,
  {
    readonly during: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<readonly [A, ReadonlyArray<RecordedStatement>], E, R>
  }
>()("bench/StatementLog") {
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      let recorded: Array<RecordedStatement> | undefined
      const during = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
        const statements: Array<RecordedStatement> = []
        recorded = statements
        const answer = yield* Effect.ensuring(
          effect,
          Effect.sync(() => void (recorded = undefined))
        )
        return [answer, statements] as const
      })
      const transform: Statement.Transformer = (statement) =>
        Effect.sync(() => {
          const [text, parameters] = statement.compile()
          recorded?.push({ text, parameters })
          return statement
        })
      return Context.make(StatementLog, { during }).pipe(Context.add(Statement.CurrentTransformer, transform))
    })
  )
}

const literal = (value: unknown): string => {
  if (value === null) return "NULL"
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

export type Mode = "force_custom_plan" | "force_generic_plan"

/** The plan of a prepared statement with these parameters, run once. A server chooses between the two modes by cost. */
export const explain = Effect.fnUntraced(function* ({ parameters, text }: RecordedStatement, mode: Mode) {
  const sql = yield* SqlClient.SqlClient
  const lines = yield* Effect.gen(function* () {
    yield* sql.unsafe(`SET LOCAL plan_cache_mode = ${mode}`)
    yield* sql.unsafe(`PREPARE explained AS ${text}`)
    const given = parameters.length === 0 ? "" : `(${parameters.map(literal).join(", ")})`
    const rows = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE explained${given}`)
    yield* sql.unsafe("DEALLOCATE explained")
    return rows
  }).pipe(sql.withTransaction)
  return lines.map((line) => line["QUERY PLAN"])
})

export const scansTheTable = (plan: ReadonlyArray<string>) =>
  plan.some((line) => /Seq Scan on proxy_order\b/.test(line))
