import { Duration, Effect, Schema } from "effect"
import { fromName, nameOf as countryName } from "../vendors/CountryCode.ts"
import type { ProviderOffer, ProvisionRequest } from "../ProxyProvider.ts"
import { refused, type VendorFailure } from "../vendors/VendorFailure.ts"
import { fromDollars } from "../vendors/VendorPrice.ts"
import type { IpRoyalClient } from "./IpRoyalClient.ts"

const Place = Schema.Struct({ id: Schema.Int, name: Schema.String, out_of_stock: Schema.Boolean })
const Plan = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  price: Schema.Finite,
  min_quantity: Schema.optionalKey(Schema.NullOr(Schema.Int))
})
const Product = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plans: Schema.Array(Plan),
  locations: Schema.Array(
    Schema.Struct({ ...Place.fields, child_locations: Schema.optionalKey(Schema.NullOr(Schema.Array(Place))) })
  ),
  questions: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ is_required: Schema.Boolean }))))
})
type Product = typeof Product.Type
type Location = Product["locations"][number]
const Products = Schema.Struct({ data: Schema.Array(Product) })

/** Finds the kind of a product. Undefined: not for sale here, such as mobile products, which the API cannot order. */
const kindOf = ({ name, questions }: Product) => {
  if (questions?.some(({ is_required }) => is_required)) return undefined
  if (/mobile|\b[45]g\b/i.test(name)) return undefined
  if (/residential|\bisp\b/i.test(name)) return "residential" as const
  return /datacenter|\bdc\b/i.test(name) ? ("datacenter" as const) : undefined
}

/** Reads a plan such as `30 Days` or `1 Month`. Undefined: another plan, such as one by traffic. */
const periodOf = ({ min_quantity, name }: typeof Plan.Type) => {
  const [, digits = "", unit = ""] = /^\s*(\d{1,4})\s*(day|month)s?\s*$/i.exec(name) ?? []
  const count = Number(digits)
  if (count < 1 || (min_quantity ?? 1) > 1) return undefined
  const isMonths = unit.toLowerCase() === "month"
  const months = isMonths ? count : count % 30 === 0 ? count / 30 : 0
  return { period_days: isMonths ? count * 30 : count, period_months: months, period_name: name.trim() }
}

const childrenOf = ({ child_locations }: Location) => child_locations ?? []

/** An article to order: a product, a location and a plan. The vendor's orders show the name of the plan. */
interface Article {
  readonly product: number
  readonly location: number
  readonly plan: number
  readonly plan_name: string
}

const articleName = ({ location, plan, plan_name, product }: Article): string =>
  `${product}:${location}:${plan}:${plan_name}`

export const parseArticle = (article: string): Article | undefined => {
  const [, product, location, plan, plan_name = ""] = /^(\d+):(\d+):(\d+):(.+)$/.exec(article) ?? []
  if (product === undefined) return undefined
  return { product: Number(product), location: Number(location), plan: Number(plan), plan_name }
}

const folded = (plan_name: string) => plan_name.trim().toLowerCase()

/** Judges whether an order of this product, location and plan can be the order of an article. */
export const judge = (order: Pick<Article, "product" | "location">, plan_name: string | null, article: string) => {
  const wanted = parseArticle(article)
  if (wanted === undefined || wanted.product !== order.product || wanted.location !== order.location) return "no"
  if (plan_name === null) return "unclear"
  return folded(plan_name) === folded(wanted.plan_name) ? "yes" : "no"
}

const offersOf = (product: Product): ReadonlyArray<ProviderOffer> => {
  const kind = kindOf(product)
  const options = product.plans
    .flatMap((plan) => {
      const period = periodOf(plan)
      const usd = fromDollars(plan.price)
      if (period === undefined || usd === undefined) return []
      const prices = { USD: usd, STAR: null }
      return [{ ...period, bandwidth_gb: null, prices, cost_usd: usd }]
    })
    .toSorted((one, other) => one.period_days - other.period_days)
  if (kind === undefined || options.length === 0) return []
  return product.locations.flatMap((location) => {
    const country_code = fromName(location.name)
    if (country_code === undefined) return []
    return [
      {
        external_id: `${product.id}:${location.id}`,
        kind,
        mode: "static",
        ip_version: "IPv4",
        name: `${product.name.trim()}, ${countryName(country_code)}`,
        description: null,
        country_code,
        isp: null,
        is_available: !location.out_of_stock,
        locations: childrenOf(location).map(({ name }) => ({ region: "", city: name })),
        protocols: ["HTTP", "HTTPS", "SOCKS5"],
        price_per_gb: { USD: null, STAR: null },
        options
      }
    ]
  })
}

/** The time for which the list of products is kept. */
const fresh = Duration.minutes(1)

export interface IpRoyalProducts {
  readonly offers: Effect.Effect<ReadonlyArray<ProviderOffer>, VendorFailure>
  /** Finds the article of a request. A city that the vendor does not know, or has sold out, is ignored. */
  readonly articleFor: (request: ProvisionRequest) => Effect.Effect<string, VendorFailure>
  /** Finds the plan of a product for a period. */
  readonly plan: (
    product: number,
    time: { readonly period_days: number; readonly period_months: number }
  ) => Effect.Effect<typeof Plan.Type, VendorFailure>
}

/** Reads the products of IPRoyal. A product has one price list for all locations. */
export const make = Effect.fnUntraced(function* (client: IpRoyalClient): Effect.fn.Return<IpRoyalProducts> {
  const products = yield* client.call({ kind: "read", path: "products", schema: Products }).pipe(
    Effect.map(({ data }) => data),
    Effect.cachedWithTTL((exit) => (exit._tag === "Success" ? fresh : Duration.zero))
  )

  const product = Effect.fnUntraced(function* (id: number) {
    return (yield* products).find((one) => one.id === id) ?? (yield* refused("the vendor no longer sells the product"))
  })

  const plan = Effect.fnUntraced(function* (
    id: number,
    time: { readonly period_days: number; readonly period_months: number }
  ) {
    const { plans } = yield* product(id)
    const fits = (one: typeof Plan.Type) => {
      const period = periodOf(one)
      if (period === undefined) return false
      return time.period_months > 0
        ? period.period_months === time.period_months
        : period.period_days === time.period_days
    }
    return plans.find(fits) ?? (yield* refused("the vendor does not sell the product for this period"))
  })

  const articleFor = Effect.fnUntraced(function* (request: ProvisionRequest) {
    const [id = "", location = ""] = request.external_id.split(":")
    const { locations } = yield* product(Number(id))
    const country = locations.find((one) => String(one.id) === location)
    if (country === undefined) return yield* refused("the vendor no longer sells the product in this country")
    const city = childrenOf(country).find(
      ({ name, out_of_stock }) => !out_of_stock && name.toLowerCase() === request.city?.toLowerCase()
    )
    const { id: planId, name } = yield* plan(Number(id), request)
    return articleName({ product: Number(id), location: (city ?? country).id, plan: planId, plan_name: name })
  })

  return {
    offers: Effect.map(products, (all) => all.flatMap(offersOf)),
    articleFor,
    plan
  }
})
