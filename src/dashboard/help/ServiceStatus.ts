import { Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import { type Offer, ProxyKind } from "../../catalog/Offer.ts"
import * as Readiness from "../../catalog/Readiness.ts"
import type { UserId } from "../../accounts/User.ts"

/** A kind of proxies that is sold, with the codes of its countries. */
export interface SoldKind {
  readonly kind: Offer["kind"]
  /** The countries in which an offer is in stock. */
  readonly available: ReadonlyArray<string>
  /** The countries in which every offer is sold out. */
  readonly soldOut: ReadonlyArray<string>
}

/** What customers may know of the state of the service. */
export interface ServiceStatus {
  readonly isReady: boolean
  readonly kinds: ReadonlyArray<SoldKind>
}

/** Groups offers by their kind and country. A kind without an offer is left out. */
export const soldKinds = (offers: ReadonlyArray<Offer>): ReadonlyArray<SoldKind> =>
  ProxyKind.literals.flatMap((kind) => {
    const stock = new Map<string, boolean>()
    for (const offer of offers)
      if (offer.kind === kind)
        stock.set(offer.country_code, offer.is_available || (stock.get(offer.country_code) ?? false))
    const codesWith = (inStock: boolean) =>
      [...stock].flatMap(([code, available]) => (available === inStock ? [code] : []))
    return stock.size === 0 ? [] : [{ kind, available: codesWith(true), soldOut: codesWith(false) }]
  })

/** Makes the function that finds the state of the service, with the offers that a visitor sees. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const readiness = yield* Readiness.make
  return Effect.fnUntraced(function* (visitor: UserId | null) {
    const { isReady } = yield* readiness
    const offers = yield* Effect.orDie(catalog.offers({}, visitor))
    return { isReady, kinds: soldKinds(offers) } satisfies ServiceStatus
  })
})
