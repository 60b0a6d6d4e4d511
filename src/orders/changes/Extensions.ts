import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import * as ExtensionPurchase from "./ExtensionPurchase.ts"
import type { BandwidthRequest, ExtensionRequest } from "./ExtensionRequest.ts"
import type { Wanted } from "./ExtensionTerms.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { BandwidthView, managed, ManagedProxyView } from "../proxies/ManagedProxy.ts"
import { MobileSnapshot, snapshot } from "../proxies/MobileSnapshot.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { ProxyNotLive, WrongProxyKind } from "../proxies/ProxyErrors.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { ProxyChanges } from "./ProxyChanges.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import * as ProxyChangeTerms from "./ProxyChangeTerms.ts"

type QuoteError = ProxyChangeTerms.TermsError | WrongProxyKind
type ExtensionError = ExtensionPurchase.PurchaseError | WrongProxyKind | RequestInvalid

interface Answered<A> {
  readonly answer: A
  /** Whether an earlier request with the same key made the answer. */
  readonly replayed: boolean
}

const decodeExtended = Schema.decodeUnknownEffect(Schema.Union([MobileSnapshot, ManagedProxyView]))
const decodeBandwidth = Schema.decodeUnknownEffect(BandwidthView)

/** What is asked for, in the field that this kind of proxy is extended by (specification section 4.4). */
const wantedFor = Effect.fnUntraced(function* (order: Order, { months, tarification_index }: ExtensionRequest) {
  if (isMobileRotating(order)) {
    if (tarification_index !== undefined) return { kind: "restart", tarification_index } satisfies Wanted
    return yield* new WrongProxyKind({
      detail:
        "A mobile rotating proxy is extended by another cycle, not by months: send tarification_index, a position in the offer's options"
    })
  }
  if (months !== undefined) return { kind: "append", months } satisfies Wanted
  return yield* new WrongProxyKind({ detail: "A static proxy is extended by months: send months, from 1 to 24" })
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

const trafficOf = ({ bandwidth_gb }: BandwidthRequest): Wanted => ({ kind: "traffic", added_gb: bandwidth_gb })

/** What the same requests would cost at this moment; nothing is charged. */
const makeQuotes = Effect.gen(function* () {
  const agreed = yield* ProxyChangeTerms.make

  const quoteExtension = Effect.fn("Extensions.quoteExtension")(function* (order: Order, request: ExtensionRequest) {
    return yield* agreed(order, yield* wantedFor(order, request), yield* DateTime.now)
  })

  const quoteTraffic = Effect.fn("Extensions.quoteTraffic")(function* (order: Order, request: BandwidthRequest) {
    return yield* agreed(order, trafficOf(request), yield* DateTime.now)
  })

  return { quoteExtension, quoteTraffic }
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
    /** Charges nothing. */
    readonly quoteExtension: (
      order: Order,
      request: ExtensionRequest
    ) => Effect.Effect<ProxyChangeTerms.AgreedChange, QuoteError>
    /** Charges nothing. */
    readonly quoteTraffic: (
      order: Order,
      request: BandwidthRequest
    ) => Effect.Effect<ProxyChangeTerms.AgreedChange, QuoteError>
    /** A mobile rotating proxy is answered as its provider has it, or as it was last known when that does not answer. */
    readonly setAutoRenew: (
      order: Order,
      enabled: boolean
    ) => Effect.Effect<ManagedProxyView | MobileSnapshot, ProxyNotLive>
  }
>()("app/orders/Extensions") {
  static readonly layerNoDeps = Layer.effect(
    Extensions,
    Effect.gen(function* () {
      const buy = yield* ExtensionPurchase.make
      const live = yield* LiveProxies
      const renewals = yield* AutoRenewalRepo
      const quotes = yield* makeQuotes

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
        request: BandwidthRequest,
        key: string | undefined
      ) {
        const wanted = trafficOf(request)
        const { answer, replayed } = yield* buy(caller, order, { operation: "orders.bandwidth", wanted, key })
        return { answer: yield* Effect.orDie(decodeBandwidth(answer)), replayed }
      })

      const setAutoRenew = Effect.fn("Extensions.setAutoRenew")(function* (order: Order, enabled: boolean) {
        const changed = Option.getOrUndefined(yield* renewals.set(order.id, enabled, yield* DateTime.now))
        if (changed === undefined) return yield* new ProxyNotLive()
        if (!isMobileRotating(changed)) return managed(changed, null)
        return yield* snapshot(changed, yield* Effect.orElseSucceed(live.read(changed), () => undefined))
      })

      return Extensions.of({ extend, addTraffic, ...quotes, setAutoRenew })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoRenewalRepo.layer,
      LiveProxies.layer,
      OrdersRepo.layer,
      ProxyChanges.layer,
      ProxyChangesRepo.layer
    ])
  )
}
