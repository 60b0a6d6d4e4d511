import { Context, Effect, Exit, Layer, Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { defaults, FlagName } from "./Flag.ts"
import { type FlagAccountUnknown, FlagUnknown } from "./FlagErrors.ts"
import { type FlagOverride, FlagsRepo } from "./FlagsRepo.ts"

const toRecord = (overrides: ReadonlyArray<FlagOverride>): Partial<Record<FlagName, boolean>> =>
  Object.fromEntries(overrides.map(({ enabled, name }) => [name, enabled]))

const isFlagName = Schema.is(FlagName)

/** The time in which a change of the platform's flags reaches every instance. */
const staleness = "5 seconds"

/** The feature flags. The override of an account comes first, then that of the platform, then the default. */
export class Flags extends Context.Service<
  Flags,
  {
    /** Without an account, reads the platform's flags, with at most one query in 5 seconds. */
    readonly enabled: (name: FlagName, userId?: UserId) => Effect.Effect<boolean>
    readonly all: (userId: UserId) => Effect.Effect<Readonly<Record<FlagName, boolean>>>
    /**
     * Overrides a flag for one account, or for the platform when `userId` is null. `enabled` null removes the override.
     */
    readonly set: (
      name: string,
      userId: UserId | null,
      enabled: boolean | null
    ) => Effect.Effect<void, FlagUnknown | FlagAccountUnknown>
  }
>()("app/flags/Flags") {
  static readonly layerNoDeps = Layer.effect(
    Flags,
    Effect.gen(function* () {
      const repo = yield* FlagsRepo
      const [platform, forget] = yield* Effect.map(repo.overrides(null), (overrides) => ({
        ...defaults,
        ...toRecord(overrides)
      })).pipe(Effect.cachedInvalidateWithTTL((exit) => (Exit.isSuccess(exit) ? staleness : 0)))

      const all = Effect.fn("Flags.all")(function* (userId: UserId) {
        return { ...(yield* platform), ...toRecord(yield* repo.overrides(userId)) }
      })

      const enabled = Effect.fn("Flags.enabled")(function* (name: FlagName, userId?: UserId) {
        return (yield* userId === undefined ? platform : all(userId))[name]
      })

      const set = Effect.fn("Flags.set")(function* (name: string, userId: UserId | null, enabled: boolean | null) {
        if (!isFlagName(name)) return yield* new FlagUnknown({ name })
        yield* enabled === null ? repo.clear(name, userId) : repo.set(name, userId, enabled)
        yield* forget
      })

      return Flags.of({ enabled, all, set })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(FlagsRepo.layer))
}
