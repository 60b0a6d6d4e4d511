import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { FlagName } from "./Flag.ts"
import { FlagAccountUnknown } from "./FlagErrors.ts"

const Override = Schema.Struct({ name: FlagName, enabled: Schema.Boolean })

export class FlagsRepo extends Context.Service<FlagsRepo>()("app/flags/FlagsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const overrides = SqlSchema.findAll({
      Request: Schema.NullOr(UserId),
      Result: Override,
      execute: (userId) =>
        sql`SELECT name, enabled FROM flag_override WHERE user_id IS NOT DISTINCT FROM ${userId}::uuid`
    })

    const set = Effect.fnUntraced(
      function* (name: FlagName, userId: UserId | null, enabled: boolean) {
        const now = DateTime.toDate(yield* DateTime.now)
        yield* sql`
          INSERT INTO flag_override ${sql.insert({ user_id: userId, name, enabled, created_at: now, updated_at: now })}
          ON CONFLICT (user_id, name) DO UPDATE SET enabled = EXCLUDED.enabled, updated_at = EXCLUDED.updated_at
        `
      },
      (effect, _name, userId) =>
        effect.pipe(
          // The name is one the table knows; what remains to be broken is the reference to the account.
          Effect.catchReason("SqlError", "ConstraintError", () =>
            Effect.fail(new FlagAccountUnknown({ user_id: String(userId) }))
          ),
          Effect.catchTag("SqlError", Effect.die)
        )
    )

    return {
      /** The overrides of an account; null: those of the platform. */
      overrides: (userId: UserId | null) => Effect.orDie(overrides(userId)),
      set,
      clear: (name: FlagName, userId: UserId | null) =>
        Effect.orDie(
          sql`DELETE FROM flag_override WHERE name = ${name} AND user_id IS NOT DISTINCT FROM ${userId}::uuid`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
