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
  options: offer.options.map(({ prices, ...option }, tarification_index) => ({
    tarification_index,
    ...option,
    price: dollars(prices.USD)
  }))
})

const edition = (version: string, offers: ReadonlyArray<Offer>): Edition => {
  const sorted = offers.toSorted((a, b) => priceFrom(a) - priceFrom(b) || a.id - b.id)
  const kinds = ["datacenter", "residential", "mobile"].flatMap((kind) => {
    const ofKind = sorted.filter((offer) => offer.kind === kind).map(answered)
    return ofKind.length === 0 ? [] : [{ kind, offers: ofKind }]
  })
  const body = Buffer.from(JSON.stringify({ kinds, total: offers.length }))
  return {
    version,
    offers: new Map(offers.map((offer) => [offer.id, offer])),
    body,
    etag: `"${hash("sha256", body, "base64url")}"`
  }
}

/** The catalog as it is encoded once for each version; every request asks the database whether there is another. */
export const makeCatalog = (pool: Pool) => {
  let kept: Promise<Edition> | undefined
  let keptVersion = ""

  const load = async (version: string) => edition(version, (await pool.query<Offer>({ ...listedOffers })).rows)

  const current = async (): Promise<Edition> => {
    const { rows } = await pool.query<{ version: string }>({ ...catalogVersion })
    const version = rows[0]?.version ?? "0"
    if (kept === undefined || version !== keptVersion) {
      keptVersion = version
      kept = load(version)
    }
    return kept
  }

  /** An offer of the edition that was answered last, without a query. */
  const offer = async (id: number) => (await (kept ?? current())).offers.get(id)

  return { current, offer }
}
