import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { pausedAtMost, SalesPause, type SalesPauseId } from "./SalesPause.ts"

interface Lifting {
  readonly lifted_at: DateTime.Utc
  readonly lifted_by: string
  readonly lift_reason: string
}

/** The pauses of sales. The database derives the flags of the offers from them, and raises the version of the catalog. */
export class SalesPausesRepo extends Context.Service<SalesPausesRepo>()("app/catalog/SalesPausesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(SalesPause)
    const first = Rows.first(SalesPause)
    const encode = Schema.encodeEffect(SalesPause)
    const columns = sql.literal(Rows.columnsOf(SalesPause))

    return {
      find: (id: SalesPauseId) => first(sql`SELECT ${columns} FROM sales_pause WHERE id = ${id}`),

      /** Inserts a pause; false when its scope has an open one. */
      insert: (pause: SalesPause) =>
        Rows.any(
          Effect.flatMap(
            encode(pause),
            (row) => sql`INSERT INTO sales_pause ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING id`
          )
        ),

      /** Lifts an open pause; none when it is not open. */
      lift: (id: SalesPauseId, { lift_reason, lifted_at, lifted_by }: Lifting) =>
        first(sql`
          UPDATE sales_pause
          SET lifted_at = greatest(placed_at, ${DateTime.toDate(lifted_at)}::timestamptz), lifted_by = ${lifted_by},
            lift_reason = ${lift_reason}
          WHERE id = ${id} AND lifted_at IS NULL RETURNING ${columns}
        `),

      /** Lifts an open pause whose time is over. Its end may have been moved since it was read. */
      liftEnded: (id: SalesPauseId, { lift_reason, lifted_at, lifted_by }: Lifting) =>
        Effect.orDie(sql`
          UPDATE sales_pause
          SET lifted_at = ${DateTime.toDate(lifted_at)}, lifted_by = ${lifted_by}, lift_reason = ${lift_reason}
          WHERE id = ${id} AND lifted_at IS NULL AND until_at <= ${DateTime.toDate(lifted_at)}
        `),

      /** Moves the end of an open pause by some hours; none when it is not open, or when it would last too long. */
      extend: (id: SalesPauseId, hours: number) =>
        first(sql`
          UPDATE sales_pause SET until_at = until_at + ${hours}::int * interval '1 hour'
          WHERE id = ${id} AND lifted_at IS NULL
            AND until_at + ${hours}::int * interval '1 hour' <= placed_at + ${pausedAtMost}::int * interval '1 day'
          RETURNING ${columns}
        `),

      /** The pauses that stand, the newest first. */
      open: (limit: number) =>
        all(
          sql`SELECT ${columns} FROM sales_pause WHERE lifted_at IS NULL ORDER BY placed_at DESC, id DESC LIMIT ${limit}`
        ),

      /** All pauses that are older than `after`, the newest first. */
      list: (limit: number, after?: string) =>
        all(sql`
          SELECT ${columns} FROM sales_pause WHERE ${after ?? null}::uuid IS NULL
            OR (placed_at, id) < (SELECT placed_at, id FROM sales_pause WHERE id = ${after ?? null}::uuid)
          ORDER BY placed_at DESC, id DESC LIMIT ${limit}
        `),

      /** The open pauses whose time is over, the oldest end first. */
      due: (now: DateTime.Utc, limit: number) =>
        all(sql`
          SELECT ${columns} FROM sales_pause WHERE lifted_at IS NULL AND until_at <= ${DateTime.toDate(now)}
          ORDER BY until_at LIMIT ${limit}
        `),

      hasProvider: (name: string) => Rows.any(sql`SELECT FROM offer WHERE provider = ${name} LIMIT 1`),

      hasArticle: (id: string) =>
        Rows.any(sql`SELECT FROM offer WHERE provider = 'gateway' AND external_id = ${id} LIMIT 1`),

      hasOffer: (id: number) => Rows.any(sql`SELECT FROM offer WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
