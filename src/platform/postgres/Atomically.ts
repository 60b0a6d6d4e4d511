import { Context, Effect, Function, Layer } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { Wakes } from "./Wakes.ts"

/** A part that one folder's repository adds to a statement of another folder. */
export type StatementPart = Statement.Fragment

/**
 * Runs an effect in one database transaction; a nested call becomes a savepoint. Services use this instead of the SQL
 * client, so only repositories contain SQL.
 */
export class Atomically extends Context.Service<
  Atomically,
  <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
>()("app/platform/Atomically") {
  static readonly layer = Layer.effect(
    Atomically,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { after } = yield* Wakes
      return (effect) =>
        Effect.catchIf(after(sql.withTransaction(effect)), SqlError.isSqlError, (error) => Effect.die(error))
    })
  )

  /** Runs effects without a transaction, for tests of services with mocked repositories. */
  static readonly layerNone = Layer.succeed(Atomically, Function.identity)
}
