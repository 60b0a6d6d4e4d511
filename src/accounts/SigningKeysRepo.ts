import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlSchema } from "effect/sql"

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

export class SigningKeysRepo extends Context.Service<SigningKeysRepo>()("app/accounts/SigningKeysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const encode = Schema.encodeEffect(SigningKey)

    const all = SqlSchema.findAll({
      Request: Schema.Void,
      Result: SigningKey,
      execute: () => sql`SELECT * FROM signing_key ORDER BY created_at`
    })

    return {
      all: Effect.orDie(all(undefined)),

      /** Does nothing when an instance that started at the same time was first. */
      insertFirst: (key: typeof SigningKey.Type) =>
        encode(key).pipe(
          Effect.flatMap(
            (row) => sql`
              INSERT INTO signing_key ${sql.insert({ ...row, private_jwk: sql.json(row.private_jwk) })}
              ON CONFLICT DO NOTHING
            `
          ),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
