import { Context, DateTime, Duration, Effect, Layer, Predicate, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { ProviderUnavailable } from "../ProviderErrors.ts"
import type {
  ProviderProxy,
  ProvisionRequest,
  ProxyExtension,
  ProxyProvider,
  ProxyReplacement,
  TrafficAddition
} from "../ProxyProvider.ts"
import type { Login, Vendor } from "./Vendor.ts"
import { afterPurchase, asAnswered, asBought, pending, refused, type VendorFailure } from "./VendorFailure.ts"
import * as LookUpPurchase from "./LookUpPurchase.ts"
import { isSold, type SoldPurchase, type VendorPurchase } from "./VendorPurchase.ts"
import { VendorPurchasesRepo } from "./VendorPurchasesRepo.ts"

/** The members of a provider that buys from a vendor. The vendor's order id is the `provider_proxy_id`. */
export type Buying = Pick<Required<ProxyProvider>, "provision" | "find" | "get" | "findChange" | "release"> & {
  /** Finds the purchase of a proxy. Fails as refused when no purchase exists. */
  readonly purchaseOf: (provider_proxy_id: string) => Effect.Effect<SoldPurchase, VendorFailure>
  /** Reads the current proxy of a purchase. Fails as refused when the vendor has none. */
  readonly proxyOf: (purchase: SoldPurchase) => Effect.Effect<ProviderProxy, VendorFailure>
  /** Waits until the vendor shows the bought time. */
  readonly extended: (purchase: SoldPurchase, extension: ProxyExtension) => Effect.Effect<ProviderProxy, VendorFailure>
  /** Records another protocol, and returns the proxy with the port of that protocol. */
  readonly setProtocol: (
    purchase: SoldPurchase,
    protocol: VendorPurchase["protocol"]
  ) => Effect.Effect<ProviderProxy, VendorFailure>
}

const gone = refused("the vendor does not have the proxy")

/** True when the proxy ends later than before, by at least half of the bought time. */
const isExtended = (proxy: ProviderProxy, { period_days, previous }: ProxyExtension) =>
  DateTime.isGreaterThan(proxy.expires_at, DateTime.add(previous.expires_at, { hours: period_days * 12 }))

const randomHex = (bytes: number) => Hex.encode(SecureRandom.randomBytesUnsafe(bytes))

/** Makes a login that no customer gets. */
const secretLogin = Effect.sync((): Login => ({ username: `u${randomHex(6)}`, password: `p${randomHex(12)}` }))

/** Buys a proxy and waits for its delivery. */
const provisioning = (
  repo: VendorPurchasesRepo["Service"],
  vendor: Vendor,
  { lookUp, read }: LookUpPurchase.PurchaseLookUp
) => {
  const { name } = vendor

  /** Records the purchase and buys. A purchase that certainly was not made leaves no record. */
  const buy = Effect.fnUntraced(function* (request: ProvisionRequest, earlier: VendorPurchase | undefined) {
    const { period_days, protocol, reference } = request
    const prepared = yield* vendor.prepare(request)
    const wanted = { ...prepared, provider: name, reference, period_days, protocol }
    const draft = { ...wanted, requested_at: yield* DateTime.now, vendor_order_id: null, delivered_at: null }
    let purchase: VendorPurchase = draft
    const begin = Effect.gen(function* () {
      purchase = { ...draft, requested_at: yield* DateTime.now }
      if (!(yield* repo.begin(purchase, earlier))) return yield* pending("another process is buying it")
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

  /** Waits for the delivery of a purchase. */
  const deliver = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    const sold = yield* lookUp(purchase)
    if (sold === undefined) return yield* pending("another purchase has claimed the vendor's order")
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
        return yield* pending("the outcome of an earlier call is unknown")
    }
    const proxy = yield* deliver(known ?? (yield* buy(request, earlier)))
    return proxy ?? (yield* refused("the vendor took the order back"))
  }, asBought(name))
}

/** The operations on a bought proxy. */
const keeping = (
  vendor: Vendor,
  get: ProxyProvider["get"],
  stored: (provider_proxy_id: string) => Effect.Effect<SoldPurchase | undefined>,
  read: LookUpPurchase.PurchaseLookUp["read"]
) => {
  const { name, waiting } = vendor
  const proxyOf = (purchase: SoldPurchase) =>
    read(purchase).pipe(Effect.filterOrFail(Predicate.isNotUndefined, () => gone))

  return {
    proxyOf,

    purchaseOf: (provider_proxy_id: string) =>
      stored(provider_proxy_id).pipe(Effect.filterOrFail(Predicate.isNotUndefined, () => gone)),

    extended: (purchase: SoldPurchase, extension: ProxyExtension) =>
      proxyOf(purchase).pipe(
        Effect.filterOrFail(
          (proxy) => isExtended(proxy, extension),
          () => pending("the vendor has not extended the proxy yet")
        ),
        Effect.retry({ times: waiting.times, schedule: Schedule.spaced(waiting.every) }),
        afterPurchase
      ),

    /** Recognizes an extension by the later end of the proxy. */
    findChange: Effect.fn(`${name}.findChange`)(function* (
      id: string,
      change: ProxyExtension | TrafficAddition | ProxyReplacement
    ) {
      if (change.kind === "traffic" || change.kind === "replace") return undefined
      const proxy = yield* get(id)
      // The vendor may leave out an extended proxy for a moment.
      if (proxy === undefined)
        return yield* new ProviderUnavailable({ provider: name, reason: "the vendor does not list the proxy" })
      return isExtended(proxy, change) ? proxy : undefined
    }),

    /** The vendors cannot end a proxy: it gets a secret login, and nobody can use it until it expires. */
    release: Effect.fn(`${name}.release`)(function* (id: string) {
      const purchase = yield* stored(id)
      const proxy = purchase && (yield* read(purchase))
      if (purchase !== undefined && proxy?.is_live === true) yield* vendor.lock(purchase, proxy, yield* secretLogin)
    }, asAnswered(name))
  }
}

const buyingFrom = (repo: VendorPurchasesRepo["Service"], vendor: Vendor): Buying => {
  const lookUps = LookUpPurchase.make(repo, vendor)
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
      purchase !== undefined && isSold(purchase) ? purchase : undefined
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
 * Buys from vendors whose API has no idempotency key. Each purchase is recorded before the call, so an unknown outcome
 * is looked up at the vendor and never bought twice.
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
