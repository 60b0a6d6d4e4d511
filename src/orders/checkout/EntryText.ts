import type { Offer, OfferOption } from "../../catalog/Offer.ts"

/** Describes the purchase of a proxy in the ledger, whichever way it is paid. */
export const entryText = ({ name }: Offer, { period_name }: OfferOption): string => `${name}, ${period_name}`
