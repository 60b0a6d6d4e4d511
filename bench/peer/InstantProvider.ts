import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"

export const name = "instant"

const month = { period_days: 30, period_name: "1 month", period_months: 1, bandwidth_gb: null }

/** The offers of both sides. */
export const offers: ReadonlyArray<ProviderOffer> = Array.from({ length: 200 }, (_, n) => ({
  external_id: `offer-${n}`,
  kind: "datacenter",
  mode: "static",
  ip_version: "IPv4",
  name: `Datacenter ${n}`,
  description: "Static addresses of a hosting provider",
  country_code: "US",
  isp: null,
  is_available: true,
  locations: [],
  protocols: ["HTTP", "SOCKS5"],
  price_per_gb: { USD: null, STAR: null },
  options: [
    { ...month, prices: { USD: 1_500_000n + BigInt(n) * 10_000n, STAR: 75n } },
    { ...month, period_days: 90, period_name: "3 months", period_months: 3, prices: { USD: 4_000_000n, STAR: 200n } }
  ]
}))

/** The proxy of an order: this provider delivers immediately, without a request or a database. */
export const proxyOf = (reference: string) => ({
  provider_proxy_id: `${name}-${reference}`,
  host: "192.0.2.10",
  port: 20_000,
  username: `u${reference.slice(-12)}`,
  password: `p${reference}`
})
