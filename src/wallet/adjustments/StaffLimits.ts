import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { MoneyActor } from "./MoneyActor.ts"
import type { LimitAmounts, LimitName, StaffLimit } from "./StaffLimit.ts"
import { type Limited, StaffLimitsRepo } from "./StaffLimitsRepo.ts"

const exceeds = (amount: bigint, limit: bigint | null) => limit !== null && amount > limit

/** The amounts that a person moves alone. Above them a second person decides. */
export class StaffLimits extends Context.Service<
  StaffLimits,
  {
    /**
     * True when a second person must agree. All refunds of an order count as one action. The caller has locked the acting
     * person, the order, and the customer: the wallets, or `lockCustomer` for an action that decides before it locks wallets.
     * Without a limit on record, a second person must always agree.
     */
    readonly isOver: (actor: MoneyActor, action: Limited) => Effect.Effect<boolean>
    /** Makes the actions of one person wait for each other. Callers take this lock before any other lock. */
    readonly lock: (actor: MoneyActor) => Effect.Effect<void>
    /** Makes the refunds of one customer wait for each other. Callers take it before they lock promo codes and wallets. */
    readonly lockCustomer: (user_id: UserId) => Effect.Effect<void>
    /** The limits on record. */
    readonly all: Effect.Effect<ReadonlyArray<StaffLimit>>
    /**
     * Sets a limit; null removes it, so that a second person must always agree. It holds for actions that begin after the
     * caller's transaction. Returns the limit before.
     */
    readonly set: (name: LimitName, amounts: LimitAmounts | null) => Effect.Effect<Option.Option<StaffLimit>>
  }
>()("app/wallet/StaffLimits") {
  static readonly layerNoDeps = Layer.effect(
    StaffLimits,
    Effect.gen(function* () {
      const repo = yield* StaffLimitsRepo

      const isOver = Effect.fn("StaffLimits.isOver")(function* (actor: MoneyActor, action: Limited) {
        const limit = Option.getOrUndefined(yield* repo.limit(actor, action))
        if (limit === undefined) return true
        const { of_customer, of_order, of_staff } = yield* repo.moved(actor, action, yield* DateTime.now)
        return (
          exceeds(of_order + action.amount, limit.per_action) ||
          exceeds(of_customer + action.amount, limit.per_customer_30d) ||
          exceeds(of_staff + action.amount, limit.per_staff_day)
        )
      })

      const set = Effect.fn("StaffLimits.set")(function* (name: LimitName, amounts: LimitAmounts | null) {
        const before = yield* repo.locked(name)
        yield* amounts === null ? repo.remove(name) : repo.set(name, amounts)
        return before
      })

      return StaffLimits.of({
        all: repo.all,
        set,
        isOver,
        lock: ({ id }) => Effect.asVoid(repo.lock(id)),
        lockCustomer: (user_id) => Effect.asVoid(repo.lock(user_id))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(StaffLimitsRepo.layer))
}
