import type { Offer } from "./Offer.ts"

/** The offers and periods that a rule applies to. An absent field matches all of them. */
interface Selector {
  readonly vendor?: string
  readonly kind?: Offer["kind"]
  readonly country?: string
  /** The vendor's own id of an offer, or the id of an article of the gateway. */
  readonly article?: string
  readonly days?: number
}

/** The parts of a price and of an offer. Each one comes from the most specific rule that sets it. */
export interface Terms {
  /** Added to the base price, in hundredths of a percent. A price per GB has it too. */
  readonly markup?: number
  /** The price of a period in micro-dollars, instead of the base price with its markup. A price per GB has none. */
  readonly price?: bigint
  /** The lowest price of a period, in micro-dollars. A price per GB has none. */
  readonly floor?: bigint
  /** Prices are rounded up to a multiple of this, in micro-dollars. */
  readonly round?: bigint
  /** Micro-dollars of one star; prices in stars follow from it. */
  readonly star_rate?: bigint
  /** True: the offer is not listed. */
  readonly hidden?: boolean
  /** Instead of the vendor's own name of the offer. */
  readonly name?: string
  /** Instead of the vendor's own description of the offer. */
  readonly description?: string
}

export interface PriceRule extends Selector, Terms {}

/** The offer and the period whose price is asked for. A price of extra traffic has no period. */
export type Subject = Required<Omit<Selector, "days">> & Pick<Selector, "days">

/** More specific selectors weigh more. Rules with the same selectors are a fault of the file, so no two weigh the same. */
const weights = { article: 16, days: 8, country: 4, kind: 2, vendor: 1 } as const
const ofOffer = ["article", "country", "kind", "vendor"] as const
const selectors = ["days", ...ofOffer] as const
const parts = ["markup", "price", "floor", "round", "star_rate", "hidden", "name", "description"] as const

export const matches = (
  rule: PriceRule,
  subject: Subject,
  names: typeof selectors | typeof ofOffer = selectors
): boolean => names.every((name) => rule[name] === undefined || rule[name] === subject[name])

/** Keeps the rules of an offer, for any of its periods. Each price then reads a short list. */
export const rulesFor = (rules: ReadonlyArray<PriceRule>, offer: Subject): ReadonlyArray<PriceRule> =>
  rules.filter((rule) => matches(rule, offer, ofOffer))

export const weightOf = (rule: PriceRule): number =>
  selectors.reduce((sum, name) => sum + (rule[name] === undefined ? 0 : weights[name]), 0)

/** True for a rule without a part. */
export const setsNothing = (rule: PriceRule): boolean => parts.every((part) => rule[part] === undefined)

/** Identifies the selectors of a rule. */
export const selectorOf = (rule: PriceRule): string => JSON.stringify(selectors.map((name) => rule[name] ?? null))

/** A part of a price or of an offer, and the rule that sets it. */
export interface SetPart {
  readonly part: keyof Terms
  readonly rule: PriceRule
}

/**
 * Finds the most specific rule of each part. A markup and a fixed price exclude each other, so the more specific of the two
 * counts. A fixed price is exact, so a more general rule does not round it.
 */
export const partsFor = (rules: ReadonlyArray<PriceRule>, subject: Subject): ReadonlyArray<SetPart> => {
  const matching = rules.filter((rule) => matches(rule, subject)).toSorted((a, b) => weightOf(a) - weightOf(b))
  const last = (part: keyof Terms) => matching.findLastIndex((rule) => rule[part] !== undefined)
  const isFixed = last("price") >= 0 && last("price") >= last("markup")
  return parts.flatMap((part) => {
    const rule = matching[last(part)]
    const isBeaten = (part === "price" && !isFixed) || (part === "round" && isFixed && last("round") < last("price"))
    return rule === undefined || isBeaten ? [] : { part, rule }
  })
}

/** Takes each part from the rule that sets it. */
export const termsFor = (rules: ReadonlyArray<PriceRule>, subject: Subject): Terms =>
  Object.fromEntries(partsFor(rules, subject).map(({ part, rule }) => [part, rule[part]]))
