import { Context, DateTime, Effect, Fiber, FiberSet, Layer, Option } from "effect"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { Providers } from "../../provider/Providers.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import { AutoRenewalRepo } from "../changes/AutoRenewalRepo.ts"
import * as MakeProxyChange from "../changes/MakeProxyChange.ts"
import { ProxyChange, type ProxyChangeId } from "../changes/ProxyChange.ts"
import { ProxyChangesRepo } from "../changes/ProxyChangesRepo.ts"
import { isLiveAt } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { OrderNotFound } from "../OrderErrors.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as ProviderCall from "../proxies/ProviderCall.ts"
import { ProviderDown, ProxyBusy, ProxyNotLive } from "../proxies/ProxyErrors.ts"
import { ProxyEnd } from "../proxies/ProxyEnd.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import { Provisioning } from "../provisioning/Provisioning.ts"
import { ProvisioningRepo } from "../provisioning/ProvisioningRepo.ts"
import * as ReleaseOrphan from "../provisioning/ReleaseOrphan.ts"
import * as CareErrors from "./CareErrors.ts"
import * as EndProxy from "./EndProxy.ts"
import * as GiveChange from "./GiveChange.ts"
import { type CaredOrder, OrderCareRepo } from "./OrderCareRepo.ts"

/** What staff can do for an order. */
export type CareAction = "retry" | "look_up" | "release" | "replace" | "extend"

export type Wanted =
  | { readonly action: Exclude<CareAction, "extend"> }
  | { readonly action: "extend"; readonly time: GiveChange.GivenTime }

export type CareRefused =
  | OrderNotFound
  | ProviderDown
  | ProxyBusy
  | ProxyNotLive
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

/** The time of a claim: longer than a call of the provider and its settlement. */
const lease = { minutes: 2 }
/** The time that a request waits. What it has begun goes on in the background. */
const patience = "20 seconds"

/** The person waits, so a provider that does not answer refuses at once. */
const staffWait: MakeProxyChange.Waiter = { isWaiting: () => true, promiseRefusal: () => true }

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
    return isLost && provider.release === undefined ? new CareErrors.ReleaseByHand({ details: {} }) : undefined
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
    extend: given() ?? (provider?.extend === undefined ? new CareErrors.CannotExtend({ details: {} }) : undefined)
  } satisfies Record<CareAction, CareRefused | undefined>
}

/** Makes the function that does at the provider what is due for an order. It repeats nothing that is done. */
const makeWork = Effect.gen(function* () {
  const changes = yield* ProxyChangesRepo
  const endProxy = yield* EndProxy.make
  const makeChange = yield* MakeProxyChange.make
  const provisioning = yield* Provisioning
  const provisioningRepo = yield* ProvisioningRepo
  const releaseOrphan = yield* ReleaseOrphan.make
  const repo = yield* OrderCareRepo

  const settleChange = Effect.fnUntraced(function* (id: OrderId) {
    const change = Option.getOrUndefined(yield* changes.pendingOf(id))
    if (change !== undefined) yield* makeChange(change, staffWait)
  })
  const provision = Effect.fnUntraced(function* ({ id, provider }: CaredOrder) {
    const now = yield* DateTime.now
    const claimed = yield* provisioningRepo.claim(provider, now, DateTime.add(now, lease), 1, id)
    yield* Effect.forEach(claimed, provisioning.resume, { discard: true })
  })

  return Effect.fn("OrderCare.work")(
    function* (id: OrderId, action: CareAction) {
      const order = Option.getOrUndefined(yield* repo.find(id))
      if (order === undefined) return
      const isLost = order.attempt === "abandoned" || order.attempt === "orphaned"
      if (action === "replace" || action === "extend") return yield* settleChange(id)
      if (action === "release" && !isLost) return yield* endProxy(id)
      if (isLost) return yield* releaseOrphan({ order_id: id, provider: order.provider })
      return yield* order.status === "paid" ? provision(order) : settleChange(id)
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
    readonly change: (id: ProxyChangeId) => Effect.Effect<Option.Option<ProxyChange>>
  }
>()("app/orders/OrderCare") {
  static readonly layerNoDeps = Layer.effect(
    OrderCare,
    Effect.gen(function* () {
      const background = yield* FiberSet.make()
      const changes = yield* ProxyChangesRepo
      const give = yield* GiveChange.make
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
          return yield* repo.release(id, now, DateTime.add(now, lease))
        if (wanted.action === "extend" && isLiveAt(order, now)) return yield* give.time(order, given, wanted.time)
        if (wanted.action === "replace" && isLiveAt(order, now)) return yield* give.replacement(order, given)
        // From now on any process may do it.
        yield* repo.provisionAt(id, now)
        yield* repo.lookAt(id, now)
        yield* repo.settleAt(id, now)
      })

      const begin = Effect.fn("OrderCare.begin")(function* (id: OrderId, wanted: Wanted, given: GiveChange.Given) {
        const order = Option.getOrUndefined(yield* repo.lock(id))
        if (order === undefined) return yield* new OrderNotFound()
        const refusal = refusalsOf(order, providers.get(order.provider), yield* DateTime.now)[wanted.action]
        if (refusal !== undefined) return yield* refusal
        yield* record(order, wanted, given)
        return order
      })

      const finish = Effect.fn("OrderCare.finish")(function* (id: OrderId, action: CareAction) {
        const fiber = yield* FiberSet.run(background, Effect.interruptible(work(id, action)))
        yield* Effect.exit(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience)))
      }, Effect.uninterruptible)

      return OrderCare.of({ read, begin, finish, change: changes.find })
    })
  )
  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoRenewalRepo.layer,
      LiveProxies.layer,
      OrderCareRepo.layer,
      Provisioning.layer,
      ProvisioningRepo.layer,
      ProxyChangesRepo.layer,
      ProxyEnd.layer,
      ProxyHistory.layer,
      ProxyHold.layer
    ]),
    Layer.provide(Idempotency.layer)
  )
}
