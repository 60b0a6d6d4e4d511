import { Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import type { OfferNotFound } from "../../catalog/CatalogErrors.ts"
import type { Offer } from "../../catalog/Offer.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import { type OfferMismatch, OfferOutOfStock } from "./CheckoutErrors.ts"
import type { WantedOrder } from "./OrderRequest.ts"
import { agree, type OrderTerms } from "./OrderTerms.ts"

/** An offer, and the terms on which it fulfils a request. */
export interface AgreedOrder {
  readonly offer: Offer
  readonly terms: OrderTerms
}

export type AgreementError = OfferNotFound | OfferMismatch | OfferOutOfStock | RequestInvalid

/** Finds the offer of a request, agrees on the terms, and checks that enough is in stock. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const providers = yield* Providers

  return Effect.fnUntraced(function* (request: WantedOrder): Effect.fn.Return<AgreedOrder, AgreementError> {
    const offer = yield* catalog.offer(request.offer_id)
    const terms = yield* agree(offer, request)
    // The catalog is as old as its last sync; the adapter of the provider holds the present stock in memory.
    const left = providers.get(offer.provider)?.stock?.known(offer.external_id) ?? Infinity
    if (!offer.is_available || left <= 0) return yield* new OfferOutOfStock({ details: { left: 0 } })
    if (left < request.quantity)
      return yield* new OfferOutOfStock({
        detail: `Only ${left} left of this offer; order at most this number`,
        details: { left }
      })
    return { offer, terms }
  })
})
