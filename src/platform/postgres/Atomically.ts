import { Context, Effect, Function, Layer } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"

/** What one folder's repository adds to a statement of another's. */
export type StatementPart = Statement.Fragment

/**
 * Runs an effect in one database transaction; a nested call becomes a savepoint.
 * Services take this instead of the SQL client, so only repositories speak SQL.
 */
export class Atomically extends Context.Service<
  Atomically,
  <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("app/platform/Atomically") {
  static readonly layer = Layer.effect(
    Atomically,
    Effect.map(
      SqlClient.SqlClient,
      (sql) => (effect) =>
        Effect.catchIf(sql.withTransaction(effect), SqlError.isSqlError, (error) => Effect.die(error))
    )
  )

  /** For tests of services whose repositories are mocked. */
  static readonly layerNone = Layer.succeed(Atomically, Function.identity)
}
