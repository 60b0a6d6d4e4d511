import type { Offer, OfferOption, OfferSource } from "../catalog/Offer.ts"
import { partsFor, type PriceRule, rulesFor, type Subject, type Terms } from "../catalog/PriceRule.ts"

/** An offer of the catalog with its prices before and after the rules. */
export interface SourcedOffer {
  readonly id: Offer["id"]
  readonly provider: string
  readonly external_id: string
  readonly name: string
  readonly kind: Offer["kind"]
  readonly country_code: string
  readonly listed: boolean
  readonly options: ReadonlyArray<OfferOption>
  readonly price_per_gb: Offer["price_per_gb"]
  /** Null: not synced since the database has sources. */
  readonly source: OfferSource | null
}

type Part = keyof Terms

/** One part of a price or an offer. `rule` is null for the markup of the vendor's setting. */
interface CascadePart {
  readonly part: Part
  readonly rule: PriceRule | null
  readonly terms: Terms
}

/** A price, the price before the rules, and the parts that led from one to the other. */
interface CascadedPrice {
  /** Null: the price of one more GB. */
  readonly period: Pick<OfferOption, "bandwidth_gb" | "period_days" | "period_name"> | null
  readonly base: OfferOption["prices"]
  readonly price: OfferOption["prices"]
  readonly parts: ReadonlyArray<CascadePart>
}

export interface PriceCascade {
  readonly offer: SourcedOffer
  /** The parts of the whole offer: its words, and whether it is hidden. */
  readonly parts: ReadonlyArray<CascadePart>
  readonly prices: ReadonlyArray<CascadedPrice>
}

const ofPeriod: ReadonlyArray<Part> = ["markup", "price", "floor", "round", "star_rate"]
/** A fixed price and a floor are those of a period, not of a GB. */
const ofTraffic: ReadonlyArray<Part> = ["markup", "round", "star_rate"]
const ofOffer: ReadonlyArray<Part> = ["hidden", "name", "description"]

/** Says for each price of an offer, and for its words, which rule set which part. */
export const cascadeOf = (offer: SourcedOffer, rules: ReadonlyArray<PriceRule>): PriceCascade => {
  const { country_code: country, external_id: article, kind, provider: vendor, source } = offer
  const subject = { vendor, kind, country, article }
  const own = rulesFor(rules, subject)
  const partsOf = (subject: Subject, wanted: ReadonlyArray<Part>): ReadonlyArray<CascadePart> => {
    const set = partsFor(own, subject).flatMap(({ part, rule }): ReadonlyArray<CascadePart> =>
      wanted.includes(part) ? [{ part, rule, terms: { [part]: rule[part] } }] : []
    )
    const isMarked = set.some(({ part }) => part === "markup" || part === "price")
    const { markup } = source ?? {}
    if (markup === undefined || isMarked || !wanted.includes("markup")) return set
    return [{ part: "markup", rule: null, terms: { markup } }, ...set]
  }
  const prices = offer.options.map(({ bandwidth_gb, period_days, period_name, prices }, index): CascadedPrice => ({
    period: { bandwidth_gb, period_days, period_name },
    base: source?.options[index]?.prices ?? prices,
    price: prices,
    parts: partsOf({ ...subject, days: period_days }, ofPeriod)
  }))
  const traffic: CascadedPrice = {
    period: null,
    base: source?.price_per_gb ?? offer.price_per_gb,
    price: offer.price_per_gb,
    parts: partsOf(subject, ofTraffic)
  }
  return {
    offer,
    parts: partsOf(subject, ofOffer),
    prices: offer.price_per_gb.USD === null ? prices : [...prices, traffic]
  }
}
