import { Context, Effect, Layer, Option } from "effect"
import type { UserId } from "./User.ts"
import { UsersRepo } from "./UsersRepo.ts"

/** The accounts that brought others. */
export class Referrers extends Context.Service<
  Referrers,
  {
    /**
     * Counts micro-dollars as earned by whoever referred the account; answers that account, none when nobody did or it
     * was deleted. Rewards of one referrer wait for each other until the caller's transaction ends.
     */
    readonly reward: (referred: UserId, earned_usd: bigint) => Effect.Effect<Option.Option<UserId>>
  }
>()("app/accounts/Referrers") {
  static readonly layerNoDeps = Layer.effect(
    Referrers,
    Effect.gen(function* () {
      const users = yield* UsersRepo

      const reward = Effect.fn("Referrers.reward")(function* (referred: UserId, earned_usd: bigint) {
        return Option.map(yield* users.rewardReferrer(referred, earned_usd), ({ id }) => id)
      })

      return Referrers.of({ reward })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(UsersRepo.layer))
}
