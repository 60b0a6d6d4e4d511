import { DateTime, Effect } from "effect"
import { Providers } from "../../provider/Providers.ts"
import type { MoneyActor } from "../../wallet/adjustments/MoneyActor.ts"
import { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import { StaffLimits } from "../../wallet/adjustments/StaffLimits.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { type ActedBy, byService } from "../ActedBy.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import { isMobileRotating } from "../Order.ts"
import * as AgreeProxyChange from "./AgreeProxyChange.ts"
import { ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { CannotExtend, TooMuchGiven } from "./ProxyChangeErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** The time that the process of the request has before `ProxyChangeRecovery` takes a change over. */
const lease = { seconds: 45 }
/** The days that an order gets within `window`. */
export const daysAtMost = 31
const window = { days: 30 }

/** Time at no charge: days, or one month where the provider sells months only. */
export type GivenTime = { readonly days: number } | { readonly months: 1 }

/** Who gives a change, and why. */
export interface Given {
  readonly id: ProxyChangeId
  readonly by: MoneyActor
  readonly reason: string
}

/** A replacement by the warranty: who began it, and by which of its terms. */
export interface Claim {
  readonly id: ProxyChangeId
  readonly by: ActedBy
  readonly reason: "failing" | "first_day"
}

type Terms = Pick<
  ProxyChange,
  | "kind"
  | "currency"
  | "total"
  | "total_usd"
  | "cost_usd"
  | "period_days"
  | "period_months"
  | "tarification_index"
  | "added_gb"
  | "expires_at"
  | "bandwidth_gb"
  | "given_value_usd"
>

type Giver = Pick<ProxyChange, "id" | "origin" | "actor" | "actor_id" | "given_by" | "given_by_id" | "given_reason">

/** The present terms of a proxy, which a change without its own terms keeps. */
const kept = (order: LiveOrder): Omit<Terms, "kind"> => ({
  currency: order.currency,
  total: 0n,
  total_usd: 0n,
  cost_usd: null,
  period_days: 0,
  period_months: 0,
  tarification_index: null,
  added_gb: null,
  expires_at: order.expires_at,
  bandwidth_gb: order.bandwidth_gb,
  given_value_usd: 0n
})

const byStaff = ({ by, id, reason }: Given): Giver => ({
  ...byService,
  id,
  origin: "staff",
  given_by: by.name,
  given_by_id: by.id,
  given_reason: reason
})

const byWarranty = ({ by, id, reason }: Claim): Giver => ({
  ...by,
  id,
  origin: "warranty",
  given_by: null,
  given_by_id: null,
  given_reason: reason
})

/** Records changes of proxies that nobody pays for, in the transaction that has locked the order. */
export const make = Effect.gen(function* () {
  const { agree } = yield* AgreeProxyChange.make
  const limits = yield* StaffLimits
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets

  const insert = Effect.fnUntraced(function* (order: LiveOrder, giver: Giver, terms: Terms) {
    const change = ProxyChange.insert.makeEffect({
      ...terms,
      ...giver,
      order_id: order.id,
      previous_expires_at: order.expires_at,
      previous_bandwidth_gb: order.bandwidth_gb,
      status: "pending",
      attempted_at: null,
      refusal: null,
      detail: null,
      settle_at: DateTime.add(yield* DateTime.now, lease)
    })
    yield* repo.insert(yield* Effect.orDie(change))
  })

  const record = (order: LiveOrder, given: Given, terms: Terms) => insert(order, byStaff(given), terms)

  const month = Effect.fnUntraced(function* (order: LiveOrder, now: DateTime.Utc) {
    if (isMobileRotating(order))
      return yield* new CannotExtend({
        detail: "A new cycle of this proxy would cut off the running one: refund the order or give a credit instead",
        details: {}
      })
    const agreed = yield* Effect.mapError(
      agree(order, { kind: "append", months: 1 }, now),
      ({ detail }) => new CannotExtend({ detail: String(detail), details: {} })
    )
    const { description: _, total: __, total_usd: given_value_usd, ...terms } = agreed.terms
    return { ...kept(order), ...terms, given_value_usd }
  })

  const days = Effect.fnUntraced(function* (order: LiveOrder, count: number) {
    const provider = providers.get(order.provider)
    if (provider?.isOwn !== true || provider.extend === undefined)
      return yield* new CannotExtend({
        detail: "This provider sells whole months only: give one month",
        details: {}
      })
    const expires_at = DateTime.add(order.expires_at, { days: count })
    return { ...kept(order), kind: "append" as const, period_days: count, expires_at }
  })

  /** A month at a vendor is worth its price, like a credit. */
  const checkLimits = Effect.fnUntraced(function* ({ user_id }: LiveOrder, by: MoneyActor, amount: bigint) {
    if (amount === 0n) return
    yield* wallets.lock(user_id)
    const gift = { action: "goodwill", currency: "USD", amount, user_id, order_id: null } as const
    if (yield* limits.isOver(by, gift)) return yield* new LimitReached({ details: {} })
  })

  return {
    replacement: (order: LiveOrder, given: Given) => record(order, given, { ...kept(order), kind: "replace" }),

    warranty: (order: LiveOrder, claim: Claim) =>
      insert(order, byWarranty(claim), { ...kept(order), kind: "replace", given_value_usd: null }),

    /** Gives time, within the limits of an order and of the person, who is locked. */
    time: Effect.fnUntraced(function* (order: LiveOrder, given: Given, time: GivenTime) {
      const now = yield* DateTime.now
      const terms = "days" in time ? yield* days(order, time.days) : yield* month(order, now)
      const before = yield* repo.givenDays(order.id, DateTime.subtract(now, window))
      if (before + terms.period_days > daysAtMost)
        return yield* new TooMuchGiven({ details: { days_left: Math.max(0, daysAtMost - before) } })
      yield* checkLimits(order, given.by, terms.given_value_usd ?? 0n)
      yield* record(order, given, terms)
    })
  }
})
