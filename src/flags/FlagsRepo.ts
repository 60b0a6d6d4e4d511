import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { FlagName } from "./Flag.ts"
import { FlagAccountUnknown } from "./FlagErrors.ts"

const FlagOverride = Schema.Struct({ name: FlagName, enabled: Schema.Boolean })
export type FlagOverride = typeof FlagOverride.Type

export class FlagsRepo extends Context.Service<FlagsRepo>()("app/flags/FlagsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const overrides = Rows.all(FlagOverride)

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
          // The table accepts every FlagName, so the only constraint left is the reference to the account.
          Effect.catchReason("SqlError", "ConstraintError", () =>
            Effect.fail(new FlagAccountUnknown({ user_id: String(userId) }))
          ),
          Effect.catchTag("SqlError", Effect.die)
        )
    )

    return {
      /** The overrides of an account, or of the platform when `userId` is null. */
      overrides: (userId: UserId | null) =>
        overrides(sql`SELECT name, enabled FROM flag_override WHERE user_id IS NOT DISTINCT FROM ${userId}::uuid`),
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
