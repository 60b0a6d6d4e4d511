import { type Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PromoCode, PromoCodeId } from "./PromoCode.ts"
import * as Rows from "../../platform/postgres/Rows.ts"

const Usage = Schema.Struct({
  /** Null when the code has no limit of uses, so that they need not be counted. */
  uses: Schema.NullOr(Schema.Int),
  account_uses: Schema.Int
})

/** An order that used a code, with what it saved in units of its currency. */
const PromoCodeUse = Schema.Struct({
  order_id: Schema.String,
  user_id: UserId,
  currency: Currency,
  total: Schema.BigInt,
  discount: Schema.BigInt,
  created_at: Schema.DateTimeUtcFromDate,
  /** The time at which the use of a failed order stopped to count; null while it counts. */
  released_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type PromoCodeUse = typeof PromoCodeUse.Type

const PromoCodeWithUses = Schema.Struct({ ...PromoCode.fields, uses: Schema.Int })

const Use = Schema.Struct({
  order_id: Schema.String,
  promo_code_id: PromoCodeId,
  user_id: UserId,
  use_id: Schema.String,
  created_at: Schema.DateTimeUtcFromDate
})

const forOperators = (sql: SqlClient.SqlClient) => {
  const withUses = Rows.all(PromoCodeWithUses)
  const firstWithUses = Rows.first(PromoCodeWithUses)
  const uses = Rows.all(PromoCodeUse)
  const withCount = sql`c.*, (
    SELECT count(DISTINCT use_id)::int FROM promo_code_use WHERE promo_code_id = c.id AND released_at IS NULL
  ) AS uses`

  return {
    disable: (id: PromoCodeId, now: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE promo_code SET disabled_at = ${DateTime.toDate(now)}, updated_at = ${DateTime.toDate(now)}
        WHERE id = ${id} AND disabled_at IS NULL
      `),

    /** Changes the limits of a code; false when it has ended. */
    limit: (
      id: PromoCodeId,
      { account_limit, expires_at, use_limit }: Pick<PromoCode, "account_limit" | "expires_at" | "use_limit">,
      now: DateTime.Utc
    ) =>
      Rows.any(sql`
        UPDATE promo_code SET account_limit = ${account_limit}, use_limit = ${use_limit},
          expires_at = ${expires_at === null ? null : DateTime.toDate(expires_at)}, updated_at = ${DateTime.toDate(now)}
        WHERE id = ${id} AND disabled_at IS NULL RETURNING id
      `),

    get: (id: PromoCodeId) => firstWithUses(sql`SELECT ${withCount} FROM promo_code c WHERE id = ${id}`),

    /** The newest first; older ones than `after`. */
    list: (limit: number, after?: string) =>
      withUses(sql`
        SELECT ${withCount} FROM promo_code c WHERE ${after ?? null}::uuid IS NULL
          OR (created_at, id) < (SELECT created_at, id FROM promo_code WHERE id = ${after ?? null}::uuid)
        ORDER BY created_at DESC, id DESC LIMIT ${limit}
      `),

    /** The orders that used a code, the newest first; older ones than the order `after`. */
    uses: (id: PromoCodeId, limit: number, after?: string) =>
      uses(sql`
        SELECT u.order_id, u.user_id, u.created_at, u.released_at, o.currency, o.total, o.discount
        FROM promo_code_use u JOIN proxy_order o ON o.id = u.order_id
        WHERE u.promo_code_id = ${id} AND (${after ?? null}::uuid IS NULL OR (u.created_at, u.order_id) <
          (SELECT created_at, order_id FROM promo_code_use WHERE order_id = ${after ?? null}::uuid))
        ORDER BY u.created_at DESC, u.order_id DESC LIMIT ${limit}
      `)
  }
}

/** Promo codes and their uses. A use counts while one of its orders is not released. */
export class PromoCodesRepo extends Context.Service<PromoCodesRepo>()("app/wallet/PromoCodesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(PromoCode.insert)
    const encodeUses = Schema.encodeEffect(Schema.NonEmptyArray(Use))
    const one = Rows.first(PromoCode)
    const usage = Rows.first(Usage)

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

      ...forOperators(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
