import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Queue, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"

/** A P-256 private key (RFC 7518 section 6.2). */
const PrivateJwk = Schema.Struct({
  kty: Schema.Literal("EC"),
  crv: Schema.Literal("P-256"),
  x: Schema.String,
  y: Schema.String,
  d: Schema.String
})

export const SigningKey = Schema.Struct({
  id: Schema.String,
  private_jwk: PrivateJwk,
  created_at: Schema.DateTimeUtcFromDate,
  retired_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type SigningKey = typeof SigningKey.Type

export class SigningKeysRepo extends Context.Service<SigningKeysRepo>()("app/accounts/SigningKeysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const encode = Schema.encodeEffect(SigningKey)
    const all = Rows.all(SigningKey)

    const values = (key: SigningKey) =>
      Effect.map(encode(key), (row) => sql.insert({ ...row, private_jwk: sql.json(row.private_jwk) }))

    return {
      /** Lists the active key, then the retired keys, the most recently retired first. */
      all: all(sql`SELECT * FROM signing_key ORDER BY retired_at DESC NULLS FIRST, created_at DESC`),

      /** Inserts the first key; does nothing when another instance has inserted a key. */
      insertFirst: (key: SigningKey) =>
        values(key).pipe(
          Effect.flatMap((values) => sql`INSERT INTO signing_key ${values} ON CONFLICT DO NOTHING`),
          Effect.orDie
        ),

      /** Makes `key` the active key, in the caller's transaction, and notifies every instance. Rotations run one at a time. */
      replaceActive: (key: SigningKey) =>
        Effect.gen(function* () {
          yield* sql`LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE`
          yield* sql`
            UPDATE signing_key SET retired_at = ${DateTime.toDate(key.created_at)} WHERE retired_at IS NULL
          `
          yield* sql`INSERT INTO signing_key ${yield* values(key)}`
          yield* sql`SELECT pg_notify('signing_key', '')`
        }).pipe(Effect.orDie),

      removeRetired: (before: DateTime.Utc) =>
        Effect.orDie(sql`DELETE FROM signing_key WHERE retired_at <= ${DateTime.toDate(before)}`),

      /** Runs `react` immediately and after every rotation, until the connection is lost. */
      onChange: <R>(react: Effect.Effect<void, never, R>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const notifications = yield* sql.listen("signing_key")
            yield* react
            return yield* Effect.forever(Effect.andThen(Queue.takeAll(notifications), react))
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
