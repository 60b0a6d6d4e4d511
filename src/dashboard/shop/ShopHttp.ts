import { Layer } from "effect"
import * as OfferHttp from "./OfferHttp.ts"
import * as OffersHttp from "./OffersHttp.ts"
import * as PlacedHttp from "./PlacedHttp.ts"

/** The shop: the catalog, an offer and its order, and the page of the placed orders. */
export const layer = Layer.mergeAll(OfferHttp.layer, OffersHttp.layer, PlacedHttp.layer)
