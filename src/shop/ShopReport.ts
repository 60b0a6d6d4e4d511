import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import * as Money from "../platform/Money.ts"
import type { OfferRow, ShopRows } from "./ShopRepo.ts"

/** The catalog and the shop before and after a change. */
export interface Moment extends Pick<ShopRows, "addresses" | "articles"> {
  readonly offers: ReadonlyArray<OfferRow>
  /** Undefined: there is no shop yet. */
  readonly announce_above: number | undefined
  /** The addresses of running proxies, and the number of these proxies. */
  readonly held: ReadonlyArray<{ readonly ip: string; readonly proxies: number }>
}

type Prices = OfferRow["price_per_gb"]

const amount = ({ STAR, USD }: Pick<Prices, "STAR" | "USD">) =>
  USD === null
    ? "not sold"
    : `${Money.toDecimal("USD", USD)} USD${STAR === null ? "" : ` or ${Money.toDecimal("STAR", STAR)} stars`}`

const isLoss = (price: bigint | null, cost = 0n) => price !== null && cost > price

const costing = (price: bigint | null, cost = 0n) =>
  cost === 0n ? "" : ` (costs you ${Money.toDecimal("USD", cost)} USD${isLoss(price, cost) ? ": a loss" : ""})`

/** A price of an offer, as text. */
interface Priced {
  /** The period with its days and its traffic, or a GB. */
  readonly what: string
  readonly price: string
  readonly cost: string
}

/** A name alone does not tell two periods apart. */
const periodOf = ({ bandwidth_gb, period_days, period_name }: OfferRow["options"][number]) => {
  const days = `${period_days} ${period_days === 1 ? "day" : "days"}`
  const length = period_name.toLowerCase() === days ? "" : ` (${days})`
  return `${period_name}${length}${bandwidth_gb === null ? "" : ` with ${bandwidth_gb} GB`}`
}

const optionsOf = ({ options }: OfferRow): ReadonlyArray<Priced> =>
  options.map((option) => ({
    what: periodOf(option),
    price: amount(option.prices),
    cost: costing(option.prices.USD, option.cost_usd)
  }))

const trafficOf = ({ price_per_gb }: OfferRow): ReadonlyArray<Priced> =>
  price_per_gb.USD === null
    ? []
    : [{ what: "one more GB", price: amount(price_per_gb), cost: costing(price_per_gb.USD, price_per_gb.cost_usd) }]

const running = ({ running }: OfferRow, keep: string) =>
  running === 0 ? [] : [`    ${running} running ${running === 1 ? "order" : "orders"} ${keep}`]

const named = ({ external_id, name, provider }: OfferRow) => `${provider} ${external_id}, ${name}`

const listed = (offer: OfferRow) =>
  [...optionsOf(offer), ...trafficOf(offer)].map(({ cost, price, what }) => `    ${what}: ${price}${cost}`)

/** An offer, and the article of the gateway that it sells. */
interface Described {
  readonly offer: OfferRow
  readonly article: ShopRows["articles"][number] | undefined
}

const fromTo = (before: string, after: string) => (before === after ? after : `${before} → ${after}`)

const changedPrice = (before: Priced | undefined, after: Priced | undefined): ReadonlyArray<string> => {
  if (after === undefined) return before === undefined ? [] : [`    ${before.what}: no longer sold`]
  if (before === undefined) return [`    ${after.what}: not sold → ${after.price}${after.cost}`]
  if (isDeepStrictEqual(before, after)) return []
  const cost = before.cost === after.cost ? after.cost : after.cost || " (costs you nothing)"
  return [`    ${fromTo(before.what, after.what)}: ${fromTo(before.price, after.price)}${cost}`]
}

/** Compares the prices at the same positions. */
const changedPrices = (before: ReadonlyArray<Priced>, after: ReadonlyArray<Priced>) =>
  (before.length > after.length ? before : after).flatMap((_, index) => changedPrice(before[index], after[index]))

/** What else customers see or get of an offer. */
const details: ReadonlyArray<readonly [string, (described: Described) => unknown]> = [
  ["places", ({ offer }) => offer.locations],
  ["protocols", ({ offer }) => offer.protocols],
  ["months", ({ offer }) => offer.options.map(({ period_months }) => period_months)]
]

const texts: ReadonlyArray<readonly [string, (described: Described) => string]> = [
  ["name", ({ offer }) => offer.name],
  ["description", ({ offer: { description } }) => (description === null ? "none" : JSON.stringify(description))],
  ["kind", ({ offer }) => offer.kind],
  ["country", ({ offer }) => offer.country_code],
  ["IP version", ({ offer }) => offer.ip_version],
  ["pool", ({ article }) => article?.pool ?? "none"],
  ["limit", ({ article }) => `${article?.open_at_most ?? "none"}`],
  ["rate_mbps", ({ article }) => `${article?.rate_mbps ?? "none"}`],
  ["max_connections", ({ article }) => `${article?.max_connections ?? "none"}`]
]

const changesOf = (before: Described, after: Described) => [
  ...texts.flatMap(([field, of]) => (of(before) === of(after) ? [] : `    ${field}: ${fromTo(of(before), of(after))}`)),
  ...details.flatMap(([field, of]) => (isDeepStrictEqual(of(before), of(after)) ? [] : `    ${field}: changed`)),
  ...changedPrices(optionsOf(before.offer), optionsOf(after.offer)),
  ...changedPrices(trafficOf(before.offer), trafficOf(after.offer))
]

/** Customers can order the offer, or only extend running orders of it, or neither. */
const sideOf = (described: Described | undefined): "ordered" | "extended" | "neither" => {
  if (described?.offer.listed === true) return "ordered"
  return described?.offer.renewable === true && described.offer.running > 0 ? "extended" : "neither"
}

/** Says what becomes of the running orders of an offer. */
const fateOf = (before: ReturnType<typeof sideOf>, { offer }: Described, after: ReturnType<typeof sideOf>) => {
  if (after === "neither") return running(offer, "cannot be extended any more")
  if (before === "neither") return running(offer, "can be extended again")
  if (before === "ordered" && after === "extended") return running(offer, "can still be extended")
  return running(offer, offer.running === 1 ? "keeps what it paid for" : "keep what they paid for")
}

const forRenewals = ({ listed }: OfferRow) => (listed ? "" : ", for renewals")

const offerLines = (before: Described | undefined, after: Described): ReadonlyArray<string> => {
  const [was, is] = [sideOf(before), sideOf(after)]
  const name = named(after.offer)
  const fate = fateOf(was, after, is)
  if (before === undefined || was === "neither")
    return is === "neither" ? [] : [`+ ${name}${forRenewals(after.offer)}`, ...listed(after.offer), ...fate]
  const changes = is === "neither" ? [] : changesOf(before, after)
  if (was === is) return changes.length === 0 ? [] : [`~ ${name}${forRenewals(after.offer)}`, ...changes, ...fate]
  if (is === "ordered") return [`+ ${name}`, ...(changes.length === 0 ? listed(after.offer) : changes), ...fate]
  return [`- ${name}: ${was === "ordered" ? "no longer on sale" : "no longer sold for renewals"}`, ...changes, ...fate]
}

const keeping = (count = 0) =>
  count === 0 ? "" : `; ${count} running ${count === 1 ? "proxy keeps" : "proxies keep"} it`

const { compare } = new Intl.Collator("en", { numeric: true })
const sorted = (addresses: Moment["addresses"]) =>
  addresses.toSorted((a, b) => compare(a.pool, b.pool) || compare(a.ip, b.ip))

const poolLines = (before: Moment["addresses"], { addresses: after, held }: Moment) => {
  const proxies = new Map(held.map(({ ip, proxies }) => [ip, proxies]))
  const missing = (some: Moment["addresses"], others: Moment["addresses"]) => {
    const pools = new Map(others.map(({ ip, pool }) => [ip, pool]))
    return some.filter(({ ip, pool }) => pools.get(ip) !== pool)
  }
  return [
    ...sorted(missing(after, before)).map(({ ip, pool }) => `+ ${ip} is sold by the pool ${pool}`),
    ...sorted(missing(before, after)).map(
      ({ ip, pool }) => `- ${ip} is no longer sold by the pool ${pool}${keeping(proxies.get(ip))}`
    )
  ]
}

const describedIn = ({ articles, offers }: Moment): ReadonlyArray<Described> => {
  const own = new Map(articles.map((article) => [article.id, article]))
  return offers.map((offer) => ({
    offer,
    article: offer.provider === "gateway" ? own.get(offer.external_id) : undefined
  }))
}

const boundLines = ({ announce_above: before }: Moment, { announce_above: after = 0 }: Moment) =>
  before === undefined || before === after
    ? []
    : [`~ renewals are announced when they cost more than ${before / 100}% → ${after / 100}% above the last term`]

const keyOf = ({ offer }: Described) => `${offer.provider} ${offer.external_id}`

/** The offers that a change affects, with the lines that say so. */
const affected = (before: Moment, after: Moment) => {
  const old = new Map(describedIn(before).map((described) => [keyOf(described), described]))
  return describedIn(after).flatMap((described) => {
    const lines = offerLines(old.get(keyOf(described)), described)
    return lines.length === 0 ? [] : { described, lines }
  })
}

/** Lists the effects of a change of the shop: one line for each offer and address, and one for each price. */
export const linesOf = (before: Moment, after: Moment): ReadonlyArray<string> => [
  ...poolLines(before.addresses, after),
  ...boundLines(before, after),
  ...affected(before, after).flatMap(({ lines }) => lines)
]

/** The moment as if each offer had one running order, and no address a proxy. */
const withoutOrders = (moment: Moment): Moment => ({
  ...moment,
  held: [],
  offers: moment.offers.map((offer) => ({ ...offer, running: 1 }))
})

/**
 * Identifies the effects of a change, also those that its lines shorten to a word. The orders that customers place meanwhile
 * do not change it.
 */
export const idOf = (before: Moment, after: Moment): string => {
  const moments = [withoutOrders(before), withoutOrders(after)] as const
  const shortened = affected(...moments).map(({ described }) => [
    described.offer.description,
    ...details.map(([, of]) => of(described))
  ])
  return createHash("sha256")
    .update(JSON.stringify([linesOf(...moments), shortened]))
    .digest("hex")
    .slice(0, 12)
}

const mostNamed = 5

/** Says which offers are on sale for less than they cost; empty when none is. */
export const losing = (offers: ReadonlyArray<OfferRow>): ReadonlyArray<string> => {
  const found = offers.filter(
    ({ listed, options, price_per_gb }) =>
      listed &&
      (isLoss(price_per_gb.USD, price_per_gb.cost_usd) ||
        options.some(({ cost_usd, prices }) => isLoss(prices.USD, cost_usd)))
  )
  const ids = found.slice(0, mostNamed).map(({ external_id, provider }) => `${provider} ${external_id}`)
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : ""
  return found.length === 0 ? [] : [`? These offers cost you more than their price: ${ids.join(", ")}${more}`]
}

/** Lists the offers on sale with their ids, prices and costs. */
export const pricesOnSale = (offers: ReadonlyArray<OfferRow>): ReadonlyArray<string> =>
  offers.filter((offer) => offer.listed).flatMap((offer) => [named(offer), ...listed(offer)])
