import { Context, Effect, Layer, Result, Schema } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { ProviderOffer, ProxyProvider } from "../provider/ProxyProvider.ts"
import { CatalogSyncRepo } from "./CatalogSyncRepo.ts"
import { mostOffers, OfferTerms, SyncedOffer } from "./Offer.ts"
import type { PriceRule } from "./PriceRule.ts"
import { PriceRulesRepo } from "./PriceRulesRepo.ts"
import { pricedOffer, repriced } from "./Pricing.ts"

type Seller = Pick<ProxyProvider, "isOwn" | "markup" | "name">

const isOffered = Schema.encodeResult(OfferTerms)
const isSellable = Schema.encodeResult(SyncedOffer)

/** Prices a valid offer. Only ISP offers (kind `residential`) keep their locations (docs/contract.md, "Catalog"). */
const priced =
  ({ markup, name }: Seller, rules: ReadonlyArray<PriceRule>) =>
  (offer: ProviderOffer) => {
    const { is_renewal_only = false, ...ours } = offer
    const source = { options: ours.options, price_per_gb: ours.price_per_gb, ...(markup !== undefined && { markup }) }
    const locations = ours.kind === "residential" ? ours.locations : []
    return Result.flatMap(isOffered({ ...ours, locations }), () => {
      const { isHidden, ...prices } = pricedOffer(name, ours, source, rules)
      const synced = { ...ours, ...prices, locations, listed: !is_renewal_only && !isHidden, renewable: true }
      return Result.map(isSellable(synced), () => synced)
    })
  }

/** Prices the valid offers by the rules, each once, and logs the ones that it leaves out. */
export const sellable = Effect.fnUntraced(function* (
  seller: Seller,
  offers: ReadonlyArray<ProviderOffer>,
  rules: ReadonlyArray<PriceRule>
) {
  const price = priced(seller, rules)
  const found = new Map<string, SyncedOffer>()
  for (const [index, offer] of offers.slice(0, mostOffers).entries()) {
    // Others go on between the parts of a long list.
    if (index % 100 === 99) yield* Effect.yieldNow
    const result = price(offer)
    if (Result.isSuccess(result) && !found.has(offer.external_id)) found.set(offer.external_id, result.success)
    else
      yield* Effect.logWarning(
        `Cannot sell offer ${offer.external_id} of ${seller.name}`,
        Result.isSuccess(result) ? "the provider lists it twice" : result.failure
      )
  }
  if (offers.length > mostOffers)
    yield* Effect.logWarning(`${seller.name} lists ${offers.length} offers; the catalog takes the first ${mostOffers}`)
  return [...found.values()]
})

/** Writes offers to the catalog, priced by the rules of the shop. */
export class CatalogWriter extends Context.Service<
  CatalogWriter,
  {
    /**
     * Runs a change, which returns the number of changed offers, in a transaction that no other change of the catalog runs
     * beside. Raises the version of the catalog once when offers changed, or when the change fills the catalog first.
     */
    readonly changing: <E>(
      change: Effect.Effect<number, E>,
      options?: { readonly fills: boolean }
    ) => Effect.Effect<number, E>
    /** Keeps exactly these offers of a provider. Logs and leaves out invalid offers. */
    readonly replace: (seller: Seller, offers: ReadonlyArray<ProviderOffer>) => Effect.Effect<number>
    /** Prices the offers of all other providers again, without asking these. */
    readonly repriceOthers: (than: string) => Effect.Effect<number>
    /** Unlists the offers of every other provider. */
    readonly unlistOthers: (providers: ReadonlyArray<string>) => Effect.Effect<number>
  }
>()("app/catalog/CatalogWriter") {
  static readonly layerNoDeps = Layer.effect(
    CatalogWriter,
    Effect.gen(function* () {
      const repo = yield* CatalogSyncRepo
      const rules = yield* PriceRulesRepo
      const atomically = yield* Atomically

      const changing = <E>(change: Effect.Effect<number, E>, { fills } = { fills: false }) =>
        Effect.gen(function* () {
          const version = yield* repo.lock
          const changed = yield* change
          if (changed === 0 && (version > 0n || !fills)) return changed
          yield* repo.raiseVersion
          yield* Effect.logInfo(
            `The catalog changed: ${changed} new or different ${changed === 1 ? "offer" : "offers"}`
          )
          return changed
        }).pipe(atomically)

      const replace = Effect.fnUntraced(function* (seller: Seller, offers: ReadonlyArray<ProviderOffer>) {
        const sold = yield* sellable(seller, offers, yield* rules.all)
        // No offer is more likely an error of a vendor than the end of its offers.
        if (sold.length > 0 || seller.isOwn === true) return yield* repo.replace(seller.name, sold)
        yield* Effect.logWarning(`Provider ${seller.name} lists no offer that can be sold; its last offers stay`)
        return 0
      })

      const repriceOthers = Effect.fnUntraced(function* (than: string) {
        const others = (yield* repo.sourced).filter(({ provider }) => provider !== than)
        const all = yield* rules.all
        const changed = yield* Effect.forEach(
          Map.groupBy(others, ({ provider }) => provider),
          ([name, offers]) =>
            repo.update(
              name,
              offers.map((offer) => repriced(name, offer, offer.source, all))
            )
        )
        return changed.reduce((sum, one) => sum + one, 0)
      })

      return CatalogWriter.of({ changing, replace, repriceOthers, unlistOthers: repo.unlistOthers })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([CatalogSyncRepo.layer, PriceRulesRepo.layer]))
}
