import { Context, DateTime, Duration, Effect, Layer, Predicate, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { ProviderUnavailable } from "./ProviderErrors.ts"
import type {
  ProviderProxy,
  ProvisionRequest,
  ProxyExtension,
  ProxyProvider,
  TrafficAddition
} from "./ProxyProvider.ts"
import type { Login, Sold, Vendor } from "./Vendor.ts"
import { afterPurchase, asAnswered, asBought, pending, refused, type VendorFault } from "./VendorFault.ts"
import * as VendorLookUp from "./VendorLookUp.ts"
import { type VendorPurchase, VendorPurchasesRepo } from "./VendorPurchasesRepo.ts"

/** The parts of a provider that buys from a vendor; the vendor's order is its id of the proxy. */
export type Buying = Pick<Required<ProxyProvider>, "provision" | "find" | "get" | "findChange" | "release"> & {
  /** The purchase of a proxy; refused when there is none. */
  readonly purchaseOf: (provider_proxy_id: string) => Effect.Effect<Sold, VendorFault>
  /** The proxy at this moment; refused when there is none. */
  readonly proxyOf: (purchase: Sold) => Effect.Effect<ProviderProxy, VendorFault>
  /** Waits for the time that was bought. */
  readonly extended: (purchase: Sold, extension: ProxyExtension) => Effect.Effect<ProviderProxy, VendorFault>
  /** Hands out the port of another protocol. */
  readonly setProtocol: (
    purchase: Sold,
    protocol: VendorPurchase["protocol"]
  ) => Effect.Effect<ProviderProxy, VendorFault>
}

const gone = refused("the vendor does not have the proxy")

/** A proxy that was extended lives longer than before, by at least half of what was bought. */
const isExtended = (proxy: ProviderProxy, { period_days, previous }: ProxyExtension) =>
  DateTime.isGreaterThan(proxy.expires_at, DateTime.add(previous.expires_at, { hours: period_days * 12 }))

const randomHex = (bytes: number) => Hex.encode(SecureRandom.randomBytesUnsafe(bytes))

/** A login that nobody is told. */
const secretLogin = Effect.sync((): Login => ({ username: `u${randomHex(6)}`, password: `p${randomHex(12)}` }))

/** Buys a proxy and waits for it. */
const provisioning = (
  repo: VendorPurchasesRepo["Service"],
  vendor: Vendor,
  { lookUp, read }: VendorLookUp.VendorLookUp
) => {
  const { name } = vendor

  /** Buys, when it is not bought already; what certainly did not happen leaves no record. */
  const buy = Effect.fnUntraced(function* (request: ProvisionRequest, earlier: VendorPurchase | undefined) {
    const { period_days, protocol, reference } = request
    const prepared = yield* vendor.prepare(request)
    const wanted = { ...prepared, provider: name, reference, period_days, protocol }
    const none = { ...wanted, requested_at: yield* DateTime.now, vendor_order_id: null, delivered_at: null }
    let purchase: VendorPurchase = none
    const begin = Effect.gen(function* () {
      purchase = { ...none, requested_at: yield* DateTime.now }
      if (!(yield* repo.begin(purchase, earlier))) return yield* pending("it is being bought by somebody else")
    })
    return yield* Effect.uninterruptibleMask((restore) =>
      restore(vendor.buy(wanted, begin)).pipe(
        Effect.tapError(({ outcome }) => (outcome === "unknown" ? Effect.void : repo.forget(purchase))),
        Effect.flatMap((vendor_order_id) =>
          Effect.map(repo.claim(purchase, vendor_order_id), (isOurs): VendorPurchase =>
            isOurs ? { ...purchase, vendor_order_id } : purchase
          )
        )
      )
    )
  })

  /** Waits for the proxy of a purchase that was made. */
  const deliver = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    const sold = yield* lookUp(purchase)
    if (sold === undefined) return yield* pending("the vendor's order has gone to another purchase")
    const proxy = yield* Effect.retry(read(sold), {
      while: ({ outcome }) => outcome === "unknown",
      times: vendor.waiting.times,
      schedule: Schedule.spaced(vendor.waiting.every)
    })
    return proxy?.is_live === true ? proxy : undefined
  }, afterPurchase)

  return Effect.fn(`${name}.provision`)(function* (request: ProvisionRequest) {
    const earlier = yield* repo.find(name, request.reference)
    const known = earlier && (yield* afterPurchase(lookUp(earlier)))
    if (earlier !== undefined && known === undefined) {
      const age = DateTime.distance(earlier.requested_at, yield* DateTime.now)
      if (Duration.isLessThan(age, vendor.settlesAfter))
        return yield* pending("it is not known what became of an earlier call")
    }
    const proxy = yield* deliver(known ?? (yield* buy(request, earlier)))
    return proxy ?? (yield* refused("the vendor took the order back"))
  }, asBought(name))
}

/** What becomes of a proxy after it was bought. */
const keeping = (
  vendor: Vendor,
  get: ProxyProvider["get"],
  stored: (provider_proxy_id: string) => Effect.Effect<Sold | undefined>,
  read: VendorLookUp.VendorLookUp["read"]
) => {
  const { name, waiting } = vendor
  const proxyOf = (purchase: Sold) => read(purchase).pipe(Effect.filterOrFail(Predicate.isNotUndefined, () => gone))

  return {
    proxyOf,

    purchaseOf: (provider_proxy_id: string) =>
      stored(provider_proxy_id).pipe(Effect.filterOrFail(Predicate.isNotUndefined, () => gone)),

    extended: (purchase: Sold, extension: ProxyExtension) =>
      proxyOf(purchase).pipe(
        Effect.filterOrFail(
          (proxy) => isExtended(proxy, extension),
          () => pending("the vendor has not extended the proxy yet")
        ),
        Effect.retry({ times: waiting.times, schedule: Schedule.spaced(waiting.every) }),
        afterPurchase
      ),

    /** An extension that was made can be told by the end of the proxy. */
    findChange: Effect.fn(`${name}.findChange`)(function* (id: string, change: ProxyExtension | TrafficAddition) {
      if (change.kind === "traffic") return undefined
      const proxy = yield* get(id)
      // A proxy that is not listed at the moment may have been extended all the same.
      if (proxy === undefined)
        return yield* new ProviderUnavailable({ provider: name, reason: "the vendor does not list the proxy" })
      return isExtended(proxy, change) ? proxy : undefined
    }),

    /** These vendors end nothing: the proxy runs out, and nobody can use it until then. */
    release: Effect.fn(`${name}.release`)(function* (id: string) {
      const purchase = yield* stored(id)
      const proxy = purchase && (yield* read(purchase))
      if (purchase !== undefined && proxy?.is_live === true) yield* vendor.lock(purchase, proxy, yield* secretLogin)
    }, asAnswered(name))
  }
}

const buyingFrom = (repo: VendorPurchasesRepo["Service"], vendor: Vendor): Buying => {
  const lookUps = VendorLookUp.make(repo, vendor)
  const { lookUp, read } = lookUps
  const { name } = vendor

  const find = Effect.fn(`${name}.find`)(function* (reference: string) {
    const purchase = yield* repo.find(name, reference)
    const sold = purchase && (yield* lookUp(purchase))
    const proxy = sold && (yield* read(sold))
    return proxy?.is_live === true ? proxy : undefined
  }, asAnswered(name))

  const stored = (provider_proxy_id: string) =>
    Effect.map(repo.ofVendorOrder(name, provider_proxy_id), (purchase) =>
      purchase !== undefined && VendorLookUp.isSold(purchase) ? purchase : undefined
    )

  const get = Effect.fn(`${name}.get`)(function* (provider_proxy_id: string) {
    const purchase = yield* stored(provider_proxy_id)
    return purchase && (yield* read(purchase))
  }, asAnswered(name))

  const kept = keeping(vendor, get, stored, read)
  return {
    provision: provisioning(repo, vendor, lookUps),
    find,
    get,
    ...kept,
    setProtocol: (purchase, protocol) =>
      Effect.andThen(repo.setProtocol(purchase, protocol), kept.proxyOf({ ...purchase, protocol }))
  }
}

/**
 * Purchases from vendors whose API has no idempotency key: each is on record before the call, so that what became of
 * an unknown one is found out at the vendor and never bought twice.
 */
export class VendorPurchases extends Context.Service<VendorPurchases, { readonly from: (vendor: Vendor) => Buying }>()(
  "app/provider/VendorPurchases"
) {
  static readonly layerNoDeps = Layer.effect(
    VendorPurchases,
    Effect.map(VendorPurchasesRepo, (repo) => VendorPurchases.of({ from: (vendor) => buyingFrom(repo, vendor) }))
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(VendorPurchasesRepo.layer))
}
