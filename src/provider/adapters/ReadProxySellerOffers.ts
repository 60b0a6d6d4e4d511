import { Effect, Schema } from "effect"
import { AskedPrices } from "../vendors/AskedPrices.ts"
import { fromAlpha3, nameOf as countryName } from "../vendors/CountryCode.ts"
import type { ProviderOffer } from "../ProxyProvider.ts"
import { refused } from "../vendors/VendorFailure.ts"
import { fromDollars } from "../vendors/VendorPrice.ts"
import * as Article from "./ProxySellerArticle.ts"
import { name, type ProxySellerClient, type Settings } from "./ProxySellerClient.ts"

const Named = Schema.Struct({ id: Schema.String, name: Schema.String })
const Operator = Schema.Struct({
  ...Named.fields,
  rotations: Schema.Array(Schema.Struct({ id: Schema.Finite }))
})
const Country = Schema.Struct({
  ...Named.fields,
  operators: Schema.optionalKey(
    Schema.Struct({
      dedicated: Schema.optionalKey(Schema.Array(Operator)),
      shared: Schema.optionalKey(Schema.Array(Operator))
    })
  )
})
const Section = Schema.Struct({ country: Schema.Array(Country), period: Schema.Array(Named) })
const Reference = Schema.Struct({
  ipv4: Schema.optionalKey(Section),
  isp: Schema.optionalKey(Section),
  ipv6: Schema.optionalKey(Section),
  mobile: Schema.optionalKey(Section)
})
type Reference = typeof Reference.Type

const Calculation = Schema.Struct({ total: Schema.Finite, currency: Schema.optionalKey(Schema.NullOr(Schema.String)) })

/** Matches the refusals of an article that is not for sale, or not in single pieces. Any other refusal may be temporary. */
const notSold = /minim|out of stock|not (sold|available|in stock)|unavailable/i

/** The longest period of a catalog option. */
const maxDays = 3660

type Terms = Pick<ProviderOffer, "kind" | "mode" | "ip_version"> & { readonly label: string }
const terms: Readonly<Record<Article.Section, Terms>> = {
  ipv4: { kind: "datacenter", mode: "static", ip_version: "IPv4", label: "Datacenter IPv4" },
  isp: { kind: "residential", mode: "static", ip_version: "IPv4", label: "ISP" },
  ipv6: { kind: "datacenter", mode: "static", ip_version: "IPv6", label: "Datacenter IPv6" },
  mobile: { kind: "mobile", mode: "rotating", ip_version: "IPv4", label: "Mobile" }
}

type OfferBase = Omit<ProviderOffer, "options">

const base = (goods: Article.Goods, country_code: string, detail: string): OfferBase => {
  const { ip_version, kind, label, mode } = terms[goods.section]
  return {
    external_id: Article.nameOf(goods),
    kind,
    mode,
    ip_version,
    name: `${[label, ...(detail === "" ? [] : [detail])].join(" ")}, ${countryName(country_code)}`,
    description: null,
    country_code,
    isp: null,
    is_available: true,
    locations: [],
    protocols: ["HTTP", "HTTPS", "SOCKS5"],
    price_per_gb: { USD: null, STAR: null }
  }
}

/** Builds one offer per country; for mobile proxies one per operator, with rotation by link or else the shortest rotation. */
const basesOf = (section: Article.Section, country: typeof Country.Type): ReadonlyArray<OfferBase> => {
  const country_code = fromAlpha3(country.id)
  if (country_code === undefined) return []
  if (section !== "mobile") return [base({ section, country: country.id, line: null }, country_code, "")]
  const { dedicated = [], shared = [] } = country.operators ?? {}
  const lines = [
    ...dedicated.map((operator) => ({ operator, service: "dedicated" })),
    ...shared.map((operator) => ({ operator, service: "shared" }))
  ]
  return lines.flatMap(({ operator, service }) => {
    const rotation = Math.min(...operator.rotations.map(({ id }) => id))
    if (!Number.isInteger(rotation)) return []
    const line = { service, operator: operator.id, rotation }
    const offer = base({ section, country: country.id, line }, country_code, `${operator.name} (${service})`)
    return [{ ...offer, isp: operator.name === "" ? null : operator.name }]
  })
}

interface Sellable {
  readonly offer: OfferBase
  readonly periods: ReadonlyArray<{
    readonly article: string
    readonly months: number
    readonly option: Article.Period
  }>
}

const sellable = (reference: Reference): ReadonlyArray<Sellable> =>
  Article.sections.flatMap((section) => {
    const { country = [], period = [] } = reference[section] ?? {}
    const periods = period.flatMap(({ id }) => {
      const option = Article.parsePeriod(id)
      return option === undefined || option.period_days > maxDays ? [] : [{ id, option }]
    })
    return country.flatMap((one) =>
      basesOf(section, one).map((offer) => ({
        offer,
        periods: periods.map(({ id, option }) => ({
          article: Article.withPeriod(offer.external_id, id),
          months: option.period_months,
          option
        }))
      }))
    )
  })

/** Reads the offers with a known price. The vendor prices one option per call, so a new catalog fills up over several syncs. */
export const make = Effect.fnUntraced(function* (client: ProxySellerClient, settings: Settings) {
  const prices = yield* AskedPrices

  const ask = Effect.fnUntraced(
    function* (article: string) {
      const { goods, period } = Article.parse(article) ?? (yield* refused("the vendor has no such article"))
      const { currency, total } = yield* client.call({
        kind: "read",
        path: "order/calc",
        schema: Calculation,
        body: Article.orderBody(goods, period, settings.purpose, false)
      })
      if (currency != null && currency !== "USD")
        return yield* refused(`the price is in ${currency.slice(0, 10)}, not in USD`)
      return fromDollars(total) ?? (yield* refused(`the price of ${total} dollars is invalid`))
    },
    Effect.catchIf(
      ({ outcome, reason }) => outcome === "refused" && notSold.test(reason),
      () => Effect.succeed(null)
    )
  )

  const offers = Effect.gen(function* () {
    const reference = yield* client.call({ kind: "read", path: "reference/list", schema: Reference })
    const goods = sellable(reference)
    // One month first: it is the usual period, so each offer gets a useful price early.
    const articles = goods
      .flatMap(({ periods }) => periods)
      .toSorted((one, other) => Number(other.months === 1) - Number(one.months === 1))
      .map(({ article }) => article)
    const known = yield* prices.of(name, articles, ask)
    return goods.flatMap(({ offer, periods }): ReadonlyArray<ProviderOffer> => {
      // Clients order a rotating offer by the position of its period, which a later price must not move.
      if (offer.mode === "rotating" && !periods.every(({ article }) => known.has(article))) return []
      const options = periods
        .toSorted((one, other) => one.option.period_days - other.option.period_days)
        .flatMap(({ article, option }) => {
          const usd = known.get(article)
          if (usd == null) return []
          const prices = { USD: usd, STAR: null }
          return [{ ...option, bandwidth_gb: null, prices, cost_usd: usd }]
        })
      return options.length === 0 ? [] : [{ ...offer, options }]
    })
  })
  return { offers }
})
