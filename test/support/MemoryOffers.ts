import { DateTime } from "effect"
import { Offer, OfferId } from "../../src/catalog/Offer.ts"
import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"

const epoch = DateTime.makeUnsafe(0)

/** An offer of the catalog: `datacenter` with other fields. */
export const offerOf = (fields: Partial<Offer> = {}) =>
  new Offer({
    ...datacenter,
    id: OfferId.make(1),
    provider: "memory",
    listed: true,
    renewable: true,
    priced_at: epoch,
    created_at: epoch,
    updated_at: epoch,
    ...fields
  })

const month = { period_days: 30, period_name: "1 month", period_months: 1, bandwidth_gb: null }

/** 1.50 USD or 75 stars a month; three months are cheaper. */
export const datacenter: ProviderOffer = {
  external_id: "dc-us",
  kind: "datacenter",
  mode: "static",
  ip_version: "IPv4",
  name: "Datacenter, United States",
  description: "Static addresses of a hosting provider",
  country_code: "US",
  isp: null,
  is_available: true,
  locations: [],
  protocols: ["HTTP", "SOCKS5"],
  price_per_gb: { USD: null, STAR: null },
  options: [
    { ...month, prices: { USD: 1_500_000n, STAR: 75n } },
    {
      period_days: 90,
      period_name: "3 months",
      period_months: 3,
      bandwidth_gb: null,
      prices: { USD: 4_000_000n, STAR: 200n }
    }
  ]
}

/** 3.50 USD a month with 50 GB, not sold for stars; 0.60 USD for one more GB. It costs 2 and 0.10 USD. */
export const residential: ProviderOffer = {
  ...datacenter,
  external_id: "isp-de",
  kind: "residential",
  name: "Residential ISP, Germany",
  country_code: "DE",
  locations: [
    { region: "Bavaria", city: "Munich" },
    { region: "Berlin", city: "Berlin" }
  ],
  price_per_gb: { USD: 600_000n, STAR: 30n, cost_usd: 100_000n },
  options: [{ ...month, bandwidth_gb: 50, prices: { USD: 3_500_000n, STAR: null }, cost_usd: 2_000_000n }]
}

/** Three tariffs; out of stock. */
export const mobile: ProviderOffer = {
  ...datacenter,
  external_id: "mobile-gb",
  kind: "mobile",
  mode: "rotating",
  name: "Mobile 4G, United Kingdom",
  description: null,
  country_code: "GB",
  isp: "Memory Mobile",
  is_available: false,
  options: [
    {
      period_days: 1,
      period_name: "1 day",
      period_months: 0,
      bandwidth_gb: 5,
      prices: { USD: 2_000_000n, STAR: 100n }
    },
    {
      period_days: 7,
      period_name: "1 week",
      period_months: 0,
      bandwidth_gb: 20,
      prices: { USD: 9_000_000n, STAR: 450n }
    },
    { ...month, prices: { USD: 30_000_000n, STAR: 1500n } }
  ]
}
