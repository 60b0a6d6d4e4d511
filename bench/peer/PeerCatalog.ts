import { hash } from "node:crypto"
import type { Pool } from "pg"
import { catalogVersion, listedOffers } from "./Statements.ts"

interface Prices {
  readonly USD: string | null
  readonly STAR: string | null
}

export interface Offer {
  readonly id: number
  readonly provider: string
  readonly external_id: string
  readonly kind: string
  readonly mode: string
  readonly ip_version: string
  readonly name: string
  readonly description: string | null
  readonly country_code: string
  readonly is_available: boolean
  readonly locations: ReadonlyArray<unknown>
  readonly protocols: ReadonlyArray<string>
  readonly price_per_gb: Prices
  readonly options: ReadonlyArray<{
    readonly period_days: number
    readonly period_name: string
    readonly period_months: number
    readonly bandwidth_gb: number | null
    readonly prices: Prices
    readonly cost_usd?: string
  }>
}

interface Edition {
  readonly version: string
  readonly offers: ReadonlyMap<number, Offer>
  readonly body: Buffer
  readonly etag: string
}

const dollars = (micros: string | null) => (micros === null ? null : Number(micros) / 1e6)

const priceFrom = ({ options }: Offer) =>
  Math.min(...options.flatMap(({ prices }) => (prices.USD === null ? [] : Number(prices.USD)))) / 1e6

const answered = (offer: Offer) => ({
  id: offer.id,
  kind: offer.kind,
  mode: offer.mode,
  ip_version: offer.ip_version,
  name: offer.name,
  ...(offer.description === null ? {} : { description: offer.description }),
  country_code: offer.country_code,
  is_available: offer.is_available,
  price_from_usd: priceFrom(offer),
  currency: "USD",
  price_per_gb: dollars(offer.price_per_gb.USD),
  protocols: offer.protocols,
  locations: offer.locations,
  options: offer.options.map(({ cost_usd: _cost, prices, ...option }, tarification_index) => ({
    tarification_index,
    ...option,
    price: dollars(prices.USD)
  }))
})

/** The answer of the catalog. */
export const catalogAnswer = (offers: ReadonlyArray<Offer>) => {
  const sorted = offers.toSorted((a, b) => priceFrom(a) - priceFrom(b) || a.id - b.id)
  const kinds = ["datacenter", "residential", "mobile"].flatMap((kind) => {
    const ofKind = sorted.filter((offer) => offer.kind === kind).map(answered)
    return ofKind.length === 0 ? [] : [{ kind, offers: ofKind }]
  })
  return { kinds, total: offers.length }
}

const edition = (version: string, offers: ReadonlyArray<Offer>): Edition => {
  const body = Buffer.from(JSON.stringify(catalogAnswer(offers)))
  return {
    version,
    offers: new Map(offers.map((offer) => [offer.id, offer])),
    body,
    etag: `"${hash("sha256", body, "base64url")}"`
  }
}

const lookAgainMillis = 10_000

/** The catalog, encoded once for each version and kept; every ten seconds it asks the database for a later version. */
export const makeCatalog = async (pool: Pool) => {
  const load = async (known?: Edition): Promise<Edition> => {
    const { rows } = await pool.query<{ version: string }>({ ...catalogVersion })
    const version = rows[0]?.version ?? "0"
    return version === known?.version ? known : edition(version, (await pool.query<Offer>({ ...listedOffers })).rows)
  }

  let kept = await load()

  const lookAgain = async () => {
    try {
      kept = await load(kept)
    } catch (error) {
      process.stderr.write(`the catalog could not be read: ${String(error)}\n`)
    }
  }
  setInterval(() => void lookAgain(), lookAgainMillis)

  return { current: () => kept, offer: (id: number) => kept.offers.get(id) }
}

export type Catalog = Awaited<ReturnType<typeof makeCatalog>>
