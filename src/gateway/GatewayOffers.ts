import { type ExitAddress, exitsFor } from "./GatewayConfig.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

/** USD in micro-dollars, STAR in whole stars. Null: not sold in this currency. */
interface GatewayPrice {
  readonly USD: bigint | null
  readonly STAR: bigint | null
}

interface GatewayOption {
  readonly period_days: number
  readonly period_name: string
  /** Calendar months; 0 for a period of less than a month. */
  readonly period_months: number
  /** The traffic of the whole period in GB (10^9 bytes). Null: unlimited. */
  readonly bandwidth_gb: number | null
  readonly prices: GatewayPrice
  readonly cost_usd: bigint
}

/** The operator's own addresses cost nothing more for each proxy, in micro-dollars. */
const free = { cost_usd: 0n }

/** An offer of the embedded gateway, in the shape of `ProviderOffer`. */
export interface GatewayOffer {
  readonly external_id: string
  readonly kind: GatewayProxy["kind"]
  readonly mode: "static" | "rotating"
  readonly ip_version: GatewayProxy["ip_version"]
  readonly name: string
  readonly description: string
  readonly country_code: string
  /** Always null: the addresses belong to the operator. */
  readonly isp: null
  readonly is_available: boolean
  readonly locations: ReadonlyArray<{ readonly region: string; readonly city: string }>
  readonly protocols: ReadonlyArray<GatewayProxy["protocol"]>
  /** The price of one extra GB. Both prices are null when traffic is unlimited, or sold by tariff. */
  readonly price_per_gb: GatewayPrice & { readonly cost_usd?: bigint }
  readonly options: ReadonlyArray<GatewayOption>
}

/** The stock of the gateway at one moment. */
export interface GatewayStock {
  readonly hasFreePort: boolean
  /** Empty: connections leave from the machine's own address. */
  readonly exitAddresses: ReadonlyArray<ExitAddress>
  /** The exit addresses that open static proxies hold. */
  readonly held: ReadonlySet<string>
}

const microsPerCent = 10_000n
const microsPerStar = 13_000n

/** Rounds the price in stars up (docs/architecture.md, "Where money is exact"). */
const price = (micros: bigint): { readonly USD: bigint; readonly STAR: bigint } => ({
  USD: micros,
  STAR: (micros + microsPerStar - 1n) / microsPerStar
})

const unpriced: GatewayPrice = { USD: null, STAR: null }

/** Longer periods cost less per month. The longest period is not sold for stars. */
const staticPeriods = [
  { period_days: 30, period_name: "1 month", period_months: 1, percent: 100n },
  { period_days: 90, period_name: "3 months", period_months: 3, percent: 95n },
  { period_days: 180, period_name: "6 months", period_months: 6, percent: 90n },
  { period_days: 360, period_name: "12 months", period_months: 12, percent: 80n }
]

const staticOptions = (monthlyCents: bigint, monthlyGb: number | null): ReadonlyArray<GatewayOption> =>
  staticPeriods.map(({ percent, ...period }) => {
    const whole = price((monthlyCents * microsPerCent * BigInt(period.period_months) * percent) / 100n)
    const bandwidth_gb = monthlyGb === null ? null : monthlyGb * period.period_months
    return { ...period, bandwidth_gb, prices: period.period_months === 12 ? { ...whole, STAR: null } : whole, ...free }
  })

const mobileOptions: ReadonlyArray<GatewayOption> = [
  { period_days: 1, period_name: "1 day", period_months: 0, bandwidth_gb: 3, prices: price(250n * microsPerCent) },
  { period_days: 7, period_name: "7 days", period_months: 0, bandwidth_gb: 20, prices: price(1_200n * microsPerCent) },
  {
    period_days: 30,
    period_name: "1 month",
    period_months: 1,
    bandwidth_gb: 100,
    prices: price(4_500n * microsPerCent)
  }
].map((tariff) => ({ ...tariff, ...free }))

const countries: Record<string, string> = {
  US: "United States",
  DE: "Germany",
  GB: "United Kingdom",
  FR: "France",
  NL: "Netherlands",
  JP: "Japan"
}

const residentialLocations: Record<string, GatewayOffer["locations"]> = {
  US: [
    { region: "New York", city: "New York" },
    { region: "California", city: "Los Angeles" },
    { region: "Texas", city: "Dallas" }
  ],
  DE: [
    { region: "Hesse", city: "Frankfurt" },
    { region: "Berlin", city: "Berlin" }
  ],
  GB: [
    { region: "England", city: "London" },
    { region: "England", city: "Manchester" }
  ],
  FR: [{ region: "Île-de-France", city: "Paris" }]
}

const mobileCountries = ["US", "DE", "GB", "FR"]

type Article = Omit<GatewayOffer, "is_available" | "external_id" | "protocols" | "isp">

const datacenter = (country_code: string, ip_version: GatewayOffer["ip_version"]): Article => ({
  kind: "datacenter",
  mode: "static",
  ip_version,
  name: `Datacenter ${ip_version}, ${countries[country_code]}`,
  description: "A static address with unlimited traffic.",
  country_code,
  locations: [],
  price_per_gb: unpriced,
  options: staticOptions(ip_version === "IPv4" ? 180n : 40n, null)
})

const residential = (country_code: string, locations: GatewayOffer["locations"]): Article => ({
  kind: "residential",
  mode: "static",
  ip_version: "IPv4",
  name: `ISP, ${countries[country_code]}`,
  description: "A static address with 50 GB of traffic per month.",
  country_code,
  locations,
  price_per_gb: { ...price(60n * microsPerCent), ...free },
  options: staticOptions(350n, 50)
})

const mobile = (country_code: string): Article => ({
  kind: "mobile",
  mode: "rotating",
  ip_version: "IPv4",
  name: `Mobile rotating, ${countries[country_code]}`,
  description:
    "A rotating address, sold by tariff. The device signature is a label; the gateway does not change packets.",
  country_code,
  locations: [],
  price_per_gb: unpriced,
  options: mobileOptions
})

const articles: ReadonlyArray<Article> = [
  ...Object.keys(countries).flatMap((country) => [datacenter(country, "IPv4"), datacenter(country, "IPv6")]),
  ...Object.entries(residentialLocations).map(([country, locations]) => residential(country, locations)),
  ...mobileCountries.map(mobile)
]

const isInStock = (article: Article, { exitAddresses, hasFreePort, held }: GatewayStock): boolean =>
  hasFreePort &&
  (exitAddresses.length === 0 ||
    exitsFor(exitAddresses, article).some((ip) => article.kind === "mobile" || !held.has(ip)))

const ownAddress = ({ ip_version }: Article) =>
  ` This gateway has no exit address in this country. Traffic leaves from its own machine's address, over ${ip_version} where the destination supports it.`

/** Builds the offers of the gateway from its stock. */
export const gatewayOffers = (stock: GatewayStock): ReadonlyArray<GatewayOffer> =>
  articles.map((article) => ({
    ...article,
    external_id: `${article.kind}-${article.ip_version}-${article.country_code}`.toLowerCase(),
    description: article.description + (stock.exitAddresses.length === 0 ? ownAddress(article) : ""),
    isp: null,
    is_available: isInStock(article, stock),
    protocols: ["HTTP", "HTTPS", "SOCKS5"]
  }))
