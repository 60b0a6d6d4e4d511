import { Context, DateTime, Effect, Fiber, FiberSet, Layer, Option } from "effect"
import { Providers } from "../../provider/Providers.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import { StaffLimits } from "../../wallet/adjustments/StaffLimits.ts"
import { GivenChanges } from "../changes/GivenChanges.ts"
import type * as GiveChange from "../changes/GiveChange.ts"
import type { ProxyChange, ProxyChangeId } from "../changes/ProxyChange.ts"
import { CannotExtend, type TooMuchGiven } from "../changes/ProxyChangeErrors.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { OrderNotFound } from "../OrderErrors.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as ProviderCall from "../proxies/ProviderCall.ts"
import { ProviderDown, ProxyBusy, ProxyNotLive } from "../proxies/ProxyErrors.ts"
import { ProxyEnd } from "../proxies/ProxyEnd.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import { UnfinishedDeliveries } from "../provisioning/UnfinishedDeliveries.ts"
import * as CareErrors from "./CareErrors.ts"
import * as EndProxy from "./EndProxy.ts"
import { type CaredOrder, OrderCareRepo } from "./OrderCareRepo.ts"

/** The work that staff can do for an order. */
type CareAction = "retry" | "look_up" | "release" | "replace" | "extend"

export type Wanted =
  | { readonly action: Exclude<CareAction, "extend"> }
  | { readonly action: "extend"; readonly time: GiveChange.GivenTime }

export type CareRefused =
  | OrderNotFound
  | ProviderDown
  | ProxyBusy
  | ProxyNotLive
  | CannotExtend
  | LimitReached
  | TooMuchGiven
  | InstanceType<(typeof CareErrors)[keyof typeof CareErrors]>

/** An order, what can be done for it now, and why the rest cannot. */
export interface Cared {
  readonly order: CaredOrder
  readonly refusals: Readonly<Record<CareAction, CareRefused | undefined>>
  /** The exit addresses that a replacement can choose from; null when there is no replacement. */
  readonly spare_addresses: number | null
  /** The time that can be given: days by your own gateway, months by others. */
  readonly extends_by: "days" | "months"
}

/** The time until a job ends a released proxy, if the process of the request does not. */
const again = { minutes: 2 }
/** The time that a request waits. What it has begun goes on in the background. */
const patience = "20 seconds"

const refusalsOf = (order: CaredOrder, provider: ProxyProvider | undefined, now: DateTime.Utc) => {
  const isLive = isLiveAt(order, now)
  const isLost = order.attempt === "abandoned" || order.attempt === "orphaned"
  const isUnknown = order.attempt === "open" || order.attempt === "abandoned" || order.change === "unknown"

  const retry = () => {
    if (order.status !== "paid") return new CareErrors.NotRetryable({ details: {} })
    if (order.attempt === "open") return new CareErrors.OutcomeUnknown({ details: {} })
    return provider === undefined ? new ProviderDown() : undefined
  }
  const look_up = () => {
    if (!isUnknown) return new CareErrors.NothingUnknown({ details: {} })
    const canAsk =
      order.change === "unknown" ? provider?.findChange !== undefined : provider?.find_settles_after != null
    return canAsk ? undefined : new CareErrors.CannotLookUp({ details: {} })
  }
  const release = () => {
    if (!isLive && !isLost) return new CareErrors.NothingToRelease({ details: {} })
    if (isLive && order.change !== null) return new ProxyBusy({ details: {} })
    if (provider === undefined) return new ProviderDown()
    if (!isLost) return undefined
    if (provider.release === undefined) return new CareErrors.ReleaseByHand({ details: {} })
    return provider.find_settles_after === null ? new CareErrors.CannotLookUp({ details: {} }) : undefined
  }
  const given = () => {
    if (!isLive) return new ProxyNotLive()
    if (order.change !== null || order.is_releasing) return new ProxyBusy({ details: {} })
    if (order.is_stopped) return new CareErrors.OwnerStopped({ details: {} })
    return provider === undefined ? new ProviderDown() : undefined
  }
  return {
    retry: retry(),
    look_up: look_up(),
    release: release(),
    replace:
      given() ?? (provider?.replacement === undefined ? new CareErrors.CannotReplace({ details: {} }) : undefined),
    extend: given() ?? (provider?.extend === undefined ? new CannotExtend({ details: {} }) : undefined)
  } satisfies Record<CareAction, CareRefused | undefined>
}

/** Makes the function that does at the provider what is due for an order. It repeats nothing that is done. */
const makeWork = Effect.gen(function* () {
  const changes = yield* GivenChanges
  const deliveries = yield* UnfinishedDeliveries
  const endProxy = yield* EndProxy.make
  const repo = yield* OrderCareRepo

  return Effect.fn("OrderCare.work")(
    function* (id: OrderId, action: CareAction) {
      const order = Option.getOrUndefined(yield* repo.find(id))
      if (order === undefined) return
      const isLost = order.attempt === "abandoned" || order.attempt === "orphaned"
      if (action === "replace" || action === "extend") return yield* changes.settle(id)
      if (action === "release" && !isLost) return yield* endProxy(id)
      if (isLost) return yield* deliveries.release(order)
      return yield* order.status === "paid" ? deliveries.resume(order) : changes.settle(id)
    },
    (effect, id, action) =>
      Effect.catchCause(effect, (cause) =>
        Effect.logWarning(`The ${action} of order ${id} is not done yet; its job tries again`, cause)
      )
  )
})

/**
 * What staff do for an order beside money. `begin` records it, and `finish` does it at the provider. The jobs that finish what
 * a crash leaves behind finish this too.
 */
export class OrderCare extends Context.Service<
  OrderCare,
  {
    readonly read: (id: OrderId) => Effect.Effect<Cared, OrderNotFound>
    /** Checks and records an action in the caller's transaction. The id becomes that of a change. */
    readonly begin: (id: OrderId, wanted: Wanted, given: GiveChange.Given) => Effect.Effect<CaredOrder, CareRefused>
    /** Does at the provider what `begin` has recorded, outside any transaction. Waits at most 20 seconds. */
    readonly finish: (id: OrderId, action: CareAction) => Effect.Effect<void>
    /** Locks an order and records its replacement by the warranty in the caller's transaction, if `agree` finds a term for it. */
    readonly claim: <E>(
      id: OrderId,
      change: Omit<GiveChange.Claim, "reason">,
      agree: (order: LiveOrder) => Effect.Effect<GiveChange.Claim["reason"], E>
    ) => Effect.Effect<void, CareRefused | E>
    readonly change: (id: ProxyChangeId) => Effect.Effect<Option.Option<ProxyChange>>
  }
>()("app/orders/OrderCare") {
  static readonly layerNoDeps = Layer.effect(
    OrderCare,
    Effect.gen(function* () {
      const background = yield* FiberSet.make()
      const changes = yield* GivenChanges
      const limits = yield* StaffLimits
      const providers = yield* Providers
      const repo = yield* OrderCareRepo
      const work = yield* makeWork

      const spareOf = Effect.fnUntraced(function* ({ provider, provider_proxy_id }: CaredOrder) {
        const replacement = providers.get(provider)?.replacement
        if (replacement === undefined || provider_proxy_id === null) return null
        const spare = ProviderCall.answered(replacement.spare(provider_proxy_id), "5 seconds")
        return Option.getOrNull(yield* Effect.option(spare))
      })

      const read = Effect.fn("OrderCare.read")(function* (id: OrderId) {
        const order = Option.getOrUndefined(yield* repo.find(id))
        if (order === undefined) return yield* new OrderNotFound()
        const refusals = refusalsOf(order, providers.get(order.provider), yield* DateTime.now)
        const spare_addresses = refusals.replace === undefined ? yield* spareOf(order) : null
        const none = spare_addresses === 0 ? new CareErrors.NoOtherAddress({ details: {} }) : undefined
        const extends_by = providers.get(order.provider)?.isOwn === true ? ("days" as const) : ("months" as const)
        return { order, spare_addresses, extends_by, refusals: { ...refusals, replace: refusals.replace ?? none } }
      })

      const record = Effect.fnUntraced(function* (order: CaredOrder, wanted: Wanted, given: GiveChange.Given) {
        const { id } = order
        const now = yield* DateTime.now
        if (wanted.action === "release" && isLiveAt(order, now))
          return yield* repo.release(id, now, DateTime.add(now, again))
        if (wanted.action === "extend" && isLiveAt(order, now)) return yield* changes.time(order, given, wanted.time)
        if (wanted.action === "replace" && isLiveAt(order, now)) return yield* changes.replacement(order, given)
        // From now on any process may do it.
        yield* repo.provisionAt(id, now)
        yield* repo.lookAt(id, now)
        yield* repo.settleAt(id, now)
      })

      const begin = Effect.fn("OrderCare.begin")(function* (id: OrderId, wanted: Wanted, given: GiveChange.Given) {
        if (wanted.action === "extend") yield* limits.lock(given.by)
        const order = Option.getOrUndefined(yield* repo.lock(id))
        if (order === undefined) return yield* new OrderNotFound()
        const refusal = refusalsOf(order, providers.get(order.provider), yield* DateTime.now)[wanted.action]
        if (refusal !== undefined) return yield* refusal
        yield* record(order, wanted, given)
        return order
      })

      const claim = Effect.fn("OrderCare.claim")(function* <E>(
        id: OrderId,
        change: Omit<GiveChange.Claim, "reason">,
        agree: (order: LiveOrder) => Effect.Effect<GiveChange.Claim["reason"], E>
      ) {
        const order = Option.getOrUndefined(yield* repo.lock(id))
        if (order === undefined) return yield* new OrderNotFound()
        const now = yield* DateTime.now
        const { replace } = refusalsOf(order, providers.get(order.provider), now)
        if (replace !== undefined) return yield* replace
        if (!isLiveAt(order, now)) return yield* new ProxyNotLive()
        yield* changes.warranty(order, { ...change, reason: yield* agree(order) })
      })

      const finish = Effect.fn("OrderCare.finish")(function* (id: OrderId, action: CareAction) {
        const fiber = yield* FiberSet.run(background, Effect.interruptible(work(id, action)))
        yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
      }, Effect.uninterruptible)

      return OrderCare.of({ read, begin, claim, finish, change: changes.find })
    })
  )
  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      GivenChanges.layer,
      LiveProxies.layer,
      OrderCareRepo.layer,
      ProxyEnd.layer,
      ProxyHistory.layer,
      ProxyHold.layer,
      StaffLimits.layer,
      UnfinishedDeliveries.layer
    ])
  )
}
