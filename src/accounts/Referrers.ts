import { Context, Effect, Layer, type Option } from "effect"
import type { UserId } from "./User.ts"
import { UsersRepo } from "./UsersRepo.ts"

/** The account that referred another account. */
export interface Referrer {
  readonly id: UserId
  readonly is_deleted: boolean
  /** True when both accounts have verified their email. */
  readonly are_verified: boolean
  /** True when both accounts signed up from one client address. */
  readonly share_address: boolean
}

/** Accounts that referred other accounts. */
export class Referrers extends Context.Service<
  Referrers,
  {
    /** Finds the referrer of an account; none when it has no referrer. */
    readonly of: (referred: UserId) => Effect.Effect<Option.Option<Referrer>>
    /** Adds micro-dollars to the earnings of the account, in the caller's transaction. A negative amount reduces them. */
    readonly earned: (referrer: UserId, earned_usd: bigint) => Effect.Effect<void>
  }
>()("app/accounts/Referrers") {
  static readonly layerNoDeps = Layer.effect(
    Referrers,
    Effect.gen(function* () {
      const users = yield* UsersRepo

      return Referrers.of({ of: users.referrerOf, earned: users.addEarned })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(UsersRepo.layer))
}
