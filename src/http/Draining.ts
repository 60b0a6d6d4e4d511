import { Config, Context, Duration, Effect, Layer, Ref } from "effect"
import { integer } from "../platform/settings/IntegerSetting.ts"

/** `DRAIN_SECONDS`: how long an instance that is to stop goes on answering, so that load balancers see that it is not ready. */
export const DrainTime = integer("DRAIN_SECONDS", 0, 60).pipe(Config.withDefault(0), Config.map(Duration.seconds))

/** The time before a stop in which requests are answered as before, and load balancers turn to other instances. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly hasBegun: Effect.Effect<boolean>
    /** Begins it, and waits for its end. */
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
