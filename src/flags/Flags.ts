import { Context, Effect, Exit, Layer, Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { defaults, FlagName } from "./Flag.ts"
import { type FlagAccountUnknown, FlagUnknown } from "./FlagErrors.ts"
import { FlagsRepo } from "./FlagsRepo.ts"

type Overrides = Effect.Success<ReturnType<FlagsRepo["Service"]["overrides"]>>

const toRecord = (overrides: Overrides): Partial<Record<FlagName, boolean>> =>
  Object.fromEntries(overrides.map(({ enabled, name }) => [name, enabled]))

const isFlagName = Schema.is(FlagName)

/** How long a change of the platform's flags may take to reach every instance. */
const staleness = "5 seconds"

/** Which features are on. An account's override wins over the platform's, and that over the default. */
export class Flags extends Context.Service<
  Flags,
  {
    /** Without an account: for the platform; that costs no query more often than every 5 seconds. */
    readonly enabled: (name: FlagName, userId?: UserId) => Effect.Effect<boolean>
    readonly all: (userId: UserId) => Effect.Effect<Readonly<Record<FlagName, boolean>>>
    /** Overrides a flag for one account, or for the platform when that is null; `enabled` null takes it back. */
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
