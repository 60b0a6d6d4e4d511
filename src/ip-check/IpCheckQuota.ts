import { Config, Context, Effect, Layer, Option } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Orders } from "../orders/Orders.ts"
import * as Money from "../platform/Money.ts"
import { parsed } from "../platform/settings/ParsedSetting.ts"
import * as Sandbox from "../wallet/Sandbox.ts"
import { IpChecksRepo } from "./IpChecksRepo.ts"

/** The price of a check in micro-dollars. */
const Price = parsed("IP_CHECK_PRICE_USD", "a decimal amount of dollars from 0.000001 to 1000", (text) =>
  Option.filter(
    Option.fromUndefinedOr(Money.fromDecimal("USD", text.trim())),
    (price) => price > 0n && price <= 1_000_000_000n
  )
).pipe(Config.withDefault(50_000n))

/** The free checks of an account, and the price of other checks in micro-dollars. */
interface Quota {
  readonly entitled: number
  readonly used: number
  readonly free_available: number
  readonly price: bigint
}

/**
 * Counts free checks: every delivered order grants one. An order that sandbox money paid, in whole or in part, grants one
 * only while the sandbox is on, because a check would use real vendors afterwards.
 */
export class IpCheckQuota extends Context.Service<
  IpCheckQuota,
  { readonly of: (owner: UserId) => Effect.Effect<Quota> }
>()("app/ip-check/IpCheckQuota") {
  static readonly layerNoDeps = Layer.effect(
    IpCheckQuota,
    Effect.gen(function* () {
      const isSandboxOn = yield* Sandbox.enabled
      const orders = yield* Orders
      const price = yield* Price
      const repo = yield* IpChecksRepo

      return IpCheckQuota.of({
        of: Effect.fn("IpCheckQuota.of")(function* (owner: UserId) {
          const { active, expired, expiring } = yield* orders.counts(owner, {})
          const { ungranted, used } = yield* repo.freeChecks(owner, isSandboxOn)
          const entitled = Math.max(0, active + expiring + expired - ungranted)
          return { entitled, used, free_available: Math.max(0, entitled - used), price }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IpChecksRepo.layer))
}
