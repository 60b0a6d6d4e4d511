import { Context, Effect, Layer, Option } from "effect"
import * as Database from "./Database.ts"

interface State {
  readonly reachable: boolean
  /** True when the database has all migrations of this program. */
  readonly migrated: boolean
}

/** The state of the database at this moment. */
export class DatabaseHealth extends Context.Service<DatabaseHealth, { readonly state: Effect.Effect<State> }>()(
  "app/platform/DatabaseHealth"
) {
  static readonly layer = Layer.effect(
    DatabaseHealth,
    Effect.gen(function* () {
      const context = yield* Effect.context<Effect.Services<typeof Database.pending>>()
      const look = Database.pending.pipe(
        Effect.provideContext(context),
        Effect.timeout("2 seconds"),
        Effect.option,
        Effect.map((pending) => ({
          reachable: Option.isSome(pending),
          migrated: Option.isSome(pending) && pending.value.length === 0
        }))
      )
      // Cached, because anyone may ask without limit.
      return { state: yield* Effect.cachedWithTTL(look, "1 second") }
    })
  )
}
