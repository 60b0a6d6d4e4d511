import { matches } from "../catalog/PriceRule.ts"
import { didYouMean } from "../platform/DidYouMean.ts"
import { providerNames } from "../provider/ProviderNames.ts"
import type { ReadShop } from "./ReadShopFile.ts"
import { type ArticleRow, type OfferRow } from "./ShopRepo.ts"

type Rule = NonNullable<ReadShop["shop"]["prices"]>[number]

/** What rules may name besides the articles of the file. */
interface Known {
  readonly articles: ReadonlyArray<ArticleRow>
  /** All offers, also those that are not on sale. */
  readonly offers: ReadonlyArray<OfferRow>
}

const most = 10

const listOf = (values: ReadonlyArray<string | number>) => {
  const rest = values.length - most
  return `${values.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more (prices list)` : ""}`
}

const { compare } = new Intl.Collator("en", { numeric: true })
const unique = (values: ReadonlyArray<string | number>) => [...new Set(values.map(String))].toSorted(compare)

/** Finds rules that name a vendor, or an article of the gateway, that there is not. */
export const misnamed = ({ faultAt, shop: { articles: described, prices = [] } }: ReadShop, known: Known) => {
  const vendors = unique([...providerNames, ...known.offers.map(({ provider }) => provider)])
  const articles = unique([...Object.keys(described), ...known.articles.map(({ id }) => id)])
  return prices.flatMap(({ article, vendor }, index) => {
    if (vendor !== undefined && !vendors.includes(vendor))
      return faultAt(
        ["prices", index, "vendor"],
        `There is no vendor ${vendor}${didYouMean(vendor.toLowerCase(), vendors)}; the vendors are ${vendors.join(", ")}`
      )
    if (vendor !== "gateway" || article === undefined || articles.includes(article)) return []
    return faultAt(
      ["prices", index, "article"],
      `There is no article ${article}${didYouMean(article, articles)}; the articles are ${listOf(articles)}`
    )
  })
}

const fields = ["vendor", "kind", "country", "article"] as const

const valueOf = {
  vendor: ({ provider }: OfferRow) => provider,
  kind: ({ kind }: OfferRow) => kind,
  country: ({ country_code }: OfferRow) => country_code,
  article: ({ external_id }: OfferRow) => external_id
}

/** Says which value of a rule no offer has, among the offers that have the values before it. */
const reasonOf = (rule: Rule, offers: ReadonlyArray<OfferRow>): string => {
  let left = offers
  const before: Array<string> = []
  const lacking = (field: string, wanted: string | number, found: ReadonlyArray<string | number>) => {
    const values = unique(found)
    const among = before.length === 0 ? "" : `with ${before.join(", ")}, `
    const meant = field === "article" ? didYouMean(`${wanted}`, values) : ""
    return `${among}${field} is ${listOf(values)}, not ${wanted}${meant}`
  }
  for (const field of fields) {
    const wanted = rule[field]
    if (wanted === undefined) continue
    const others = left
    left = others.filter((offer) => valueOf[field](offer) === wanted)
    if (left.length === 0 && field === "vendor")
      return `it has no offers of ${wanted}; start the service with ${wanted} in PROVIDERS, which reads them, and plan again`
    if (left.length === 0) return lacking(field, wanted, others.map(valueOf[field]))
    before.push(`${field} ${wanted}`)
  }
  return lacking(
    "days",
    rule.days ?? 0,
    left.flatMap(({ options }) => options.map(({ period_days }) => period_days))
  )
}

/** Finds rules without an offer. The vendor may sell the offer later, so they are no faults. */
export const unused = ({ faultAt, shop: { prices = [] } }: ReadShop, offers: ReadonlyArray<OfferRow>) => {
  // A rule may itself hide its offers, so unlisted offers count while they are sold for renewals.
  const sold = offers.filter(({ renewable }) => renewable)
  return prices.flatMap((rule, index) => {
    const isUsed = sold.some(({ country_code, external_id, kind, options, provider }) => {
      const subject = { vendor: provider, kind, country: country_code, article: external_id }
      return options.some(({ period_days }) => matches(rule, { ...subject, days: period_days }))
    })
    const reason = sold.length === 0 ? "it is empty" : reasonOf(rule, sold)
    return isUsed ? [] : faultAt(["prices", index], `no offer of the catalog matches this rule: ${reason}`)
  })
}
