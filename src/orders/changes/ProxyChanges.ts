import { Array as Arr, Context, DateTime, Effect, Layer, Option, type Result, Schema } from "effect"
import type { Caller } from "../../accounts/Caller.ts"
import type { Outcome } from "../../idempotency/Idempotency.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { type AutoRenewView, autoRenewView, BandwidthView, ManagedProxyView } from "../proxies/ManagedProxyView.ts"
import { MobileSnapshotView, mobileSnapshotView } from "../proxies/MobileSnapshotView.ts"
import { ProxyNotLive, WrongProxyKind } from "../proxies/ProxyErrors.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import * as AgreeProxyChange from "./AgreeProxyChange.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import * as BuyProxyChange from "./BuyProxyChange.ts"
import type { BandwidthRequest, ExtendRequest } from "./ProxyChangeRequest.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import type { RenewalPrice, Wanted } from "./ProxyChangeTerms.ts"
import { quotedChangeOf } from "./QuotedChange.ts"

type QuoteError = AgreeProxyChange.TermsError | WrongProxyKind
type ChangeError = BuyProxyChange.PurchaseError | WrongProxyKind | RequestInvalid

interface Answered<A> extends Pick<Outcome, "replayed"> {
  readonly answer: A
}

const decodeExtended = Schema.decodeUnknownEffect(Schema.Union([MobileSnapshotView, ManagedProxyView]))
const decodeBandwidth = Schema.decodeUnknownEffect(BandwidthView)

/** Reads the extension from the field that belongs to the kind of the proxy. */
const wantedFor = Effect.fnUntraced(function* (order: Order, { months, tarification_index }: ExtendRequest) {
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
      msg: "The extension of a mobile rotating proxy needs an Idempotency-Key",
      type: "missing"
    }
  ]
})

const trafficOf = ({ bandwidth_gb }: BandwidthRequest): Wanted => ({ kind: "traffic", added_gb: bandwidth_gb })

/** The next renewal of a proxy. */
export interface Renewal {
  readonly terms: RenewalPrice
  readonly charged_at: DateTime.Utc
}

/** The job renews a proxy as soon as it is `expiring`, or when an announced or failed renewal is due again. */
const chargeTime = ({ expiring_at, proxy_status, renew_at }: Order, now: DateTime.Utc): DateTime.Utc =>
  DateTime.max(now, (proxy_status === "expiring" ? renew_at : expiring_at) ?? now)

const makeQuotes = Effect.gen(function* () {
  const { agree, agreeAll } = yield* AgreeProxyChange.make
  const repo = yield* ProxyChangesRepo

  const keep = Effect.fnUntraced(function* (agreed: ReadonlyArray<AgreeProxyChange.AgreedChange>, now: DateTime.Utc) {
    if (Arr.isReadonlyArrayNonEmpty(agreed)) yield* repo.keepQuotes(Arr.map(agreed, (one) => quotedChangeOf(one, now)))
  })

  const quote = Effect.fnUntraced(function* (order: Order, wanted: Wanted) {
    const now = yield* DateTime.now
    const agreed = yield* agree(order, wanted, now)
    yield* keep([agreed], now)
    return agreed
  })

  const quoteExtension = Effect.fn("ProxyChanges.quoteExtension")(function* (order: Order, request: ExtendRequest) {
    return yield* quote(order, yield* wantedFor(order, request))
  })

  const quoteExtensions = Effect.fn("ProxyChanges.quoteExtensions")(function* (
    orders: ReadonlyArray<Order>,
    months: number
  ) {
    const now = yield* DateTime.now
    const quotes = yield* agreeAll(orders, { kind: "append", months }, now)
    yield* keep(Arr.getSuccesses(quotes), now)
    return quotes
  })

  const quoteTraffic = Effect.fn("ProxyChanges.quoteTraffic")((order: Order, request: BandwidthRequest) =>
    quote(order, trafficOf(request))
  )

  const renewals = Effect.fn("ProxyChanges.renewals")(function* (orders: ReadonlyArray<Order>) {
    const now = yield* DateTime.now
    return Arr.getSuccesses(yield* agreeAll(orders, "renewal", now)).map(({ order, terms }): Renewal => ({
      terms,
      charged_at: chargeTime(order, now)
    }))
  })

  const renewal = (order: Order) => Effect.map(renewals([order]), Arr.head)

  return { quoteExtension, quoteExtensions, quoteTraffic, renewal, renewals }
})

/** Sells more time and more traffic for proxies, and switches auto-renew. */
export class ProxyChanges extends Context.Service<
  ProxyChanges,
  {
    readonly extend: (
      caller: Caller["Service"],
      order: Order,
      request: ExtendRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Answered<ManagedProxyView | MobileSnapshotView>, ChangeError>
    readonly addTraffic: (
      caller: Caller["Service"],
      order: Order,
      request: BandwidthRequest,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Answered<typeof BandwidthView.Type>, ChangeError>
    /** Price and result of `extend` at this moment; keeps the price for 10 minutes, and charges nothing. */
    readonly quoteExtension: (
      order: Order,
      request: ExtendRequest
    ) => Effect.Effect<AgreeProxyChange.AgreedChange, QuoteError>
    /** The same for several static proxies, with a number of statements that does not depend on that of the proxies. */
    readonly quoteExtensions: (
      orders: ReadonlyArray<Order>,
      months: number
    ) => Effect.Effect<ReadonlyArray<Result.Result<AgreeProxyChange.AgreedChange, AgreeProxyChange.TermsError>>>
    /**
     * The next purchase of auto-renew at today's price, and the time of its charge. None while the proxy cannot be renewed,
     * for example because it has ended.
     */
    readonly renewal: (order: Order) => Effect.Effect<Option.Option<Renewal>>
    /** The next renewals of those orders that can be renewed. */
    readonly renewals: (orders: ReadonlyArray<Order>) => Effect.Effect<ReadonlyArray<Renewal>>
    /** The same of `addTraffic`. */
    readonly quoteTraffic: (
      order: Order,
      request: BandwidthRequest
    ) => Effect.Effect<AgreeProxyChange.AgreedChange, QuoteError>
    /**
     * Returns the present state of a mobile rotating proxy, or its last known state when the provider does not answer.
     */
    readonly setAutoRenew: (
      caller: Caller["Service"],
      order: Order,
      enabled: boolean
    ) => Effect.Effect<typeof AutoRenewView.Type | MobileSnapshotView, ProxyNotLive>
  }
>()("app/orders/ProxyChanges") {
  static readonly layerNoDeps = Layer.effect(
    ProxyChanges,
    Effect.gen(function* () {
      const buy = yield* BuyProxyChange.make
      const history = yield* ProxyHistory
      const live = yield* LiveProxies
      const autoRenewals = yield* AutoRenewalRepo
      const quotes = yield* makeQuotes

      const extend = Effect.fn("ProxyChanges.extend")(function* (
        caller: Caller["Service"],
        order: Order,
        request: ExtendRequest,
        key: string | undefined
      ) {
        const wanted = yield* wantedFor(order, request)
        if (isMobileRotating(order) && key === undefined) return yield* keyMissing
        const purchase = { operation: "orders.extend", wanted, expected: request, key } as const
        const { answer, replayed } = yield* buy(caller, order, purchase)
        return { answer: yield* Effect.orDie(decodeExtended(answer)), replayed }
      })

      const addTraffic = Effect.fn("ProxyChanges.addTraffic")(function* (
        caller: Caller["Service"],
        order: Order,
        request: BandwidthRequest,
        key: string | undefined
      ) {
        const purchase = { operation: "orders.bandwidth", wanted: trafficOf(request), expected: request, key } as const
        const { answer, replayed } = yield* buy(caller, order, purchase)
        return { answer: yield* Effect.orDie(decodeBandwidth(answer)), replayed }
      })

      const setAutoRenew = Effect.fn("ProxyChanges.setAutoRenew")(function* (
        caller: Caller["Service"],
        order: Order,
        enabled: boolean
      ) {
        const changed = Option.getOrUndefined(yield* autoRenewals.set(order.id, enabled, yield* DateTime.now))
        if (changed === undefined) return yield* new ProxyNotLive()
        if (order.auto_renew !== enabled)
          yield* history.record(caller, order.id, enabled ? "auto_renew_on" : "auto_renew_off")
        if (!isMobileRotating(changed)) return autoRenewView(changed)
        return yield* mobileSnapshotView(changed, yield* Effect.orElseSucceed(live.read(changed), () => undefined))
      })

      return ProxyChanges.of({ extend, addTraffic, ...quotes, setAutoRenew })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AutoRenewalRepo.layer,
      LiveProxies.layer,
      OrdersRepo.layer,
      ProxyChangesRepo.layer,
      ProxyHistory.layer,
      ProxyHold.layer
    ])
  )
}
