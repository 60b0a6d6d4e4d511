import { Context, Effect, Layer, Option } from "effect"
import * as Database from "./Database.ts"

interface State {
  readonly reachable: boolean
  /** Whether the schema is the one this program needs. */
  readonly migrated: boolean
}

/** Whether the database can be used at this moment. */
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
      // Anybody may ask, as often as they like.
      return { state: yield* Effect.cachedWithTTL(look, "1 second") }
    })
  )
}
