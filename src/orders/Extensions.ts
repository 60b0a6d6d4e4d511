import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Caller } from "../accounts/Caller.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { ChargeError } from "./ChangeCharge.ts"
import * as ChangeCompletion from "./ChangeCompletion.ts"
import type { ChangeUnsettled } from "./ExtensionErrors.ts"
import type { BandwidthRequest, ExtensionRequest } from "./ExtensionRequest.ts"
import type { Wanted } from "./ExtensionTerms.ts"
import { isLiveAt } from "./LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { BandwidthView, managed, ManagedProxyView } from "./ManagedProxy.ts"
import { MobileSnapshot, snapshot } from "./MobileSnapshot.ts"
import { isMobileRotating, type Order } from "./Order.ts"
import { type ProviderDown, type ProviderSaidNo, ProxyNotLive, WrongProxyKind } from "./OrderErrors.ts"
import { OrdersRepo } from "./OrdersRepo.ts"
import { payingKey } from "./PayingKey.ts"
import { ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChanges } from "./ProxyChanges.ts"

type Purchase = "orders.extend" | "orders.bandwidth"

export type ExtensionError =
  | ChargeError
  | WrongProxyKind
  | ProviderSaidNo
  | ProviderDown
  | ChangeUnsettled
  | IdempotencyKeyReused
  | RequestStillRunning
  | RequestInvalid

interface Answered<A> {
  readonly answer: A
  /** Whether an earlier request with the same key made the answer. */
  readonly replayed: boolean
}

const decodeId = Schema.decodeUnknownEffect(ProxyChangeId)
const decodeExtended = Schema.decodeUnknownEffect(Schema.Union([MobileSnapshot, ManagedProxyView]))
const decodeBandwidth = Schema.decodeUnknownEffect(BandwidthView)

/** What is asked for, in the field that this kind of proxy is extended by (specification section 4.4). */
const wantedFor = Effect.fnUntraced(function* (order: Order, { months, tarification_index }: ExtensionRequest) {
  if (isMobileRotating(order)) {
    if (tarification_index !== undefined) return { kind: "restart", tarification_index } satisfies Wanted
    return yield* new WrongProxyKind({
      detail: "A mobile rotating proxy is extended by tarification_index, a position in its offer's options"
    })
  }
  if (months !== undefined) return { kind: "append", months } satisfies Wanted
  return yield* new WrongProxyKind({ detail: "A static proxy is extended by months, from 1 to 24" })
})

const keyMissing = new RequestInvalid({
  detail: [
    {
      loc: ["header", "idempotency-key"],
      msg: "A mobile rotating proxy is extended with an Idempotency-Key only",
      type: "missing"
    }
  ]
})

const makeBuying = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const changes = yield* ProxyChanges
  const complete = yield* ChangeCompletion.make

  return Effect.fnUntraced(function* (
    caller: Caller["Service"],
    order: Order,
    bought: { readonly operation: Purchase; readonly wanted: Wanted; readonly key: string | undefined }
  ) {
    const { key, operation, wanted } = bought
    const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
    return yield* idempotency.perform<ExtensionError, never>(
      { user_id: caller.user_id, operation, key, body: { order_id: order.id, ...wanted } },
      {
        reference: id,
        charge: changes.charge({ id, order_id: order.id, wanted, api_key: payingKey(caller) }),
        finish: (reference) =>
          Effect.flatMap(Effect.orDie(decodeId(reference)), (id) => complete(id, order, key !== undefined))
      }
    )
  })
})

/** More time and traffic for proxies, bought at once or by themselves. */
export class Extensions extends Context.Service<
  Extensions,
  {
    readonly extend: (
      caller: Caller["Service"],
      order: Order,
      request: ExtensionRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Answered<ManagedProxyView | MobileSnapshot>, ExtensionError>
    readonly addTraffic: (
      caller: Caller["Service"],
      order: Order,
      request: BandwidthRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Answered<typeof BandwidthView.Type>, ExtensionError>
    readonly setAutoRenew: (
      order: Order,
      enabled: boolean
    ) => Effect.Effect<ManagedProxyView | MobileSnapshot, ProxyNotLive | ProviderDown>
  }
>()("app/orders/Extensions") {
  static readonly layerNoDeps = Layer.effect(
    Extensions,
    Effect.gen(function* () {
      const buy = yield* makeBuying
      const live = yield* LiveProxies
      const renewals = yield* AutoRenewalRepo

      const extend = Effect.fn("Extensions.extend")(function* (
        caller: Caller["Service"],
        order: Order,
        request: ExtensionRequest,
        key: string | undefined
      ) {
        const wanted = yield* wantedFor(order, request)
        if (isMobileRotating(order) && key === undefined) return yield* keyMissing
        const { answer, replayed } = yield* buy(caller, order, { operation: "orders.extend", wanted, key })
        return { answer: yield* Effect.orDie(decodeExtended(answer)), replayed }
      })

      const addTraffic = Effect.fn("Extensions.addTraffic")(function* (
        caller: Caller["Service"],
        order: Order,
        { bandwidth_gb }: BandwidthRequest,
        key: string | undefined
      ) {
        const wanted: Wanted = { kind: "traffic", added_gb: bandwidth_gb }
        const { answer, replayed } = yield* buy(caller, order, { operation: "orders.bandwidth", wanted, key })
        return { answer: yield* Effect.orDie(decodeBandwidth(answer)), replayed }
      })

      const setAutoRenew = Effect.fn("Extensions.setAutoRenew")(function* (order: Order, enabled: boolean) {
        const now = yield* DateTime.now
        if (!isLiveAt(order, now)) return yield* new ProxyNotLive()
        const proxy = isMobileRotating(order) ? yield* live.read(order) : undefined
        const changed = Option.getOrUndefined(yield* renewals.set(order.id, enabled, now))
        if (changed === undefined) return yield* new ProxyNotLive()
        return isMobileRotating(changed) ? snapshot(changed, proxy) : managed(changed, null)
      })

      return Extensions.of({ extend, addTraffic, setAutoRenew })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([AutoRenewalRepo.layer, LiveProxies.layer, OrdersRepo.layer, ProxyChanges.layer])
  )
}
