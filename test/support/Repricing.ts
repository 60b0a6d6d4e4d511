import { Effect } from "effect"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"
import { datacenter, mobile, residential } from "./MemoryOffers.ts"
import { MemoryProvider } from "./MemoryProvider.ts"

/** Changes the offers of the provider in memory, from those of `OrderTesting`; the catalog shows them immediately. */
export const sell = Effect.fnUntraced(function* (change: (offer: ProviderOffer) => ProviderOffer) {
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, residential, { ...mobile, is_available: true }].map(change))
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
})

type Prices = ProviderOffer["price_per_gb"]

/** An offer at this percentage of its price. */
export const scaled = (offer: ProviderOffer, percent: number): ProviderOffer => {
  const part = (amount: bigint | null) => (amount === null ? null : (amount * BigInt(percent)) / 100n)
  const scaledPrices = (prices: Prices) => ({ ...prices, USD: part(prices.USD), STAR: part(prices.STAR) })
  return {
    ...offer,
    price_per_gb: scaledPrices(offer.price_per_gb),
    options: offer.options.map((option) => ({ ...option, prices: scaledPrices(option.prices) }))
  }
}

/** Sells everything at this percentage of its first price. */
export const reprice = (percent: number) => sell((offer) => scaled(offer, percent))
