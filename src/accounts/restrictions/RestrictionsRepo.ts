import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { UserId } from "../User.ts"
import { blockedBy, Restriction, RestrictionId } from "./Restriction.ts"

/** A page of restrictions: at most `limit`, after one of the page before. */
export interface After {
  readonly limit: number
  readonly after?: string
}

interface Lifting {
  readonly lifted_at: DateTime.Utc
  readonly lifted_by: string
  readonly lift_reason: string
}

/** The restrictions of accounts. The database derives the flags of accounts and wallets from them. */
export class RestrictionsRepo extends Context.Service<RestrictionsRepo>()("app/accounts/RestrictionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Restriction)
    const first = Rows.first(Restriction)
    const ids = Rows.all(Schema.Struct({ id: RestrictionId }))
    const encode = Schema.encodeEffect(Restriction)
    const columns = sql.literal(Rows.columnsOf(Restriction))

    return {
      find: (id: RestrictionId) => first(sql`SELECT ${columns} FROM account_restriction WHERE id = ${id}`),

      /** Inserts a restriction; false when its id is taken. */
      insert: (restriction: Restriction) =>
        Rows.any(
          Effect.flatMap(
            encode(restriction),
            (row) => sql`
              INSERT INTO account_restriction ${sql.insert({ ...row, ...blockedBy[row.preset] })}
              ON CONFLICT (id) DO NOTHING RETURNING id
            `
          )
        ),

      /** Lifts an open restriction; none when it is not open. */
      lift: (id: RestrictionId, { lift_reason, lifted_at, lifted_by }: Lifting) =>
        first(sql`
          UPDATE account_restriction
          SET lifted_at = greatest(placed_at, ${DateTime.toDate(lifted_at)}::timestamptz), lifted_by = ${lifted_by},
            lift_reason = ${lift_reason}
          WHERE id = ${id} AND lifted_at IS NULL RETURNING ${columns}
        `),

      /** Lists the restrictions of an account that are older than `after`, newest first. */
      list: (user_id: UserId, { after, limit }: After) =>
        all(sql`
          SELECT ${columns} FROM account_restriction WHERE user_id = ${user_id} AND (${after ?? null}::uuid IS NULL
            OR (placed_at, id) < (SELECT placed_at, id FROM account_restriction WHERE id = ${after ?? null}::uuid))
          ORDER BY placed_at DESC, id DESC LIMIT ${limit}
        `),

      /** Lists the restrictions of an account: the open ones, then the others, the newest first. */
      openFirst: (user_id: UserId, limit: number) =>
        all(sql`
          SELECT ${columns} FROM account_restriction WHERE user_id = ${user_id}
          ORDER BY lifted_at IS NOT NULL, placed_at DESC, id DESC LIMIT ${limit}
        `),

      /** Finds the open restriction of an account that the person should read about: the one that blocks most. */
      open: (user_id: UserId) =>
        first(sql`
          SELECT ${columns} FROM account_restriction WHERE user_id = ${user_id} AND lifted_at IS NULL
          ORDER BY blocks_access DESC, blocks_service DESC, placed_at DESC, id DESC LIMIT 1
        `),

      /** Lists the open restrictions whose time is over, oldest end first. */
      due: (now: DateTime.Utc, limit: number) =>
        Effect.map(
          ids(sql`
            SELECT id FROM account_restriction WHERE lifted_at IS NULL AND until_at <= ${DateTime.toDate(now)}
            ORDER BY until_at LIMIT ${limit}
          `),
          (rows) => rows.map(({ id }) => id)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
