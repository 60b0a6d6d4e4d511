import { Config, Context, Duration, Effect, Layer, Ref } from "effect"
import { integer } from "../platform/settings/IntegerSetting.ts"

/**
 * `DRAIN_SECONDS`: time between the signal to stop and the stop. The instance still answers requests, and load
 * balancers notice that it is not ready.
 */
export const DrainTime = integer("DRAIN_SECONDS", 0, 60).pipe(Config.withDefault(0), Config.map(Duration.seconds))

/** The time before a stop. The service still answers requests, while load balancers switch to other instances. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly hasBegun: Effect.Effect<boolean>
    /** Begins the draining and waits until it ends. */
    readonly drain: Effect.Effect<void>
  }
>()("app/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.gen(function* () {
      const time = yield* DrainTime
      const begun = yield* Ref.make(false)
      return Draining.of({ hasBegun: Ref.get(begun), drain: Effect.andThen(Ref.set(begun, true), Effect.sleep(time)) })
    })
  )
}
