import { type Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import { PromoCode, PromoCodeId } from "./PromoCode.ts"
import * as Rows from "../../platform/postgres/Rows.ts"

const Usage = Schema.Struct({
  /** Null when the code has no limit of uses, so that they need not be counted. */
  uses: Schema.NullOr(Schema.Int),
  account_uses: Schema.Int
})

const PromoCodeWithUses = Schema.Struct({ ...PromoCode.fields, uses: Schema.Int })

const Use = Schema.Struct({
  order_id: Schema.String,
  promo_code_id: PromoCodeId,
  user_id: UserId,
  use_id: Schema.String,
  created_at: Schema.DateTimeUtcFromDate
})

/** Promo codes and their uses. A use counts while one of its orders is not released. */
export class PromoCodesRepo extends Context.Service<PromoCodesRepo>()("app/wallet/PromoCodesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(PromoCode.insert)
    const encodeUses = Schema.encodeEffect(Schema.NonEmptyArray(Use))
    const one = Rows.first(PromoCode)
    const usage = Rows.first(Usage)
    const withUses = Rows.all(PromoCodeWithUses)

    return {
      find: (code: string) => one(sql`SELECT * FROM promo_code WHERE code = ${code}`),

      /** Locks the code, so that no other transaction uses it until this one ends. */
      lock: (code: string) => one(sql`SELECT * FROM promo_code WHERE code = ${code} FOR NO KEY UPDATE`),

      usage: (id: PromoCodeId, user_id: UserId) =>
        usage(sql`
          SELECT
            CASE WHEN use_limit IS NOT NULL THEN (
              SELECT count(DISTINCT use_id)::int FROM promo_code_use WHERE promo_code_id = c.id AND released_at IS NULL
            ) END AS uses,
            (
              SELECT count(DISTINCT use_id)::int FROM promo_code_use
              WHERE promo_code_id = c.id AND user_id = ${user_id} AND released_at IS NULL
            ) AS account_uses
          FROM promo_code c WHERE id = ${id}
        `).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie),

      use: (uses: Arr.NonEmptyReadonlyArray<typeof Use.Type>) =>
        encodeUses(uses).pipe(
          Effect.flatMap((rows) => sql`INSERT INTO promo_code_use ${sql.insert(rows)}`),
          Effect.orDie,
          Effect.asVoid
        ),

      release: (order_ids: ReadonlyArray<string>, now: DateTime.Utc) =>
        Effect.asVoid(
          Effect.orDie(sql`
            UPDATE promo_code_use SET released_at = greatest(created_at, ${DateTime.toDate(now)})
            WHERE ${sql.in("order_id", order_ids)} AND released_at IS NULL
          `)
        ),

      /** None when the code exists already. */
      insert: (code: typeof PromoCode.insert.Type) =>
        Effect.orDie(encode(code)).pipe(
          Effect.flatMap((row) =>
            one(sql`INSERT INTO promo_code ${sql.insert(row)} ON CONFLICT (code) DO NOTHING RETURNING *`)
          )
        ),

      /** None when there is no such code. */
      disable: (code: string, now: DateTime.Utc) =>
        one(sql`
          UPDATE promo_code
          SET disabled_at = coalesce(disabled_at, ${DateTime.toDate(now)}), updated_at = ${DateTime.toDate(now)}
          WHERE code = ${code} RETURNING *
        `),

      list: ({ limit, offset }: Page) =>
        withUses(sql`
          SELECT c.*, (
            SELECT count(DISTINCT use_id)::int FROM promo_code_use WHERE promo_code_id = c.id AND released_at IS NULL
          ) AS uses
          FROM promo_code c ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
