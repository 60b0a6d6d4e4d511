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

const costing = (price: bigint | null, cost = 0n) =>
  cost === 0n
    ? ""
    : ` (costs you ${Money.toDecimal("USD", cost)} USD${price !== null && cost > price ? ": a loss" : ""})`

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
  ["description", ({ offer }) => offer.description],
  ["places", ({ offer }) => offer.locations],
  ["protocols", ({ offer }) => offer.protocols],
  ["months", ({ offer }) => offer.options.map(({ period_months }) => period_months)]
]

const texts: ReadonlyArray<readonly [string, (described: Described) => string]> = [
  ["name", ({ offer }) => offer.name],
  ["pool", ({ article }) => article?.pool ?? "none"],
  ["limit", ({ article }) => `${article?.open_at_most ?? "none"}`]
]

const changesOf = (before: Described, after: Described) => [
  ...texts.flatMap(([field, of]) => (of(before) === of(after) ? [] : `    ${field}: ${fromTo(of(before), of(after))}`)),
  ...details.flatMap(([field, of]) => (isDeepStrictEqual(of(before), of(after)) ? [] : `    ${field}: changed`)),
  ...changedPrices(optionsOf(before.offer), optionsOf(after.offer)),
  ...changedPrices(trafficOf(before.offer), trafficOf(after.offer))
]

const changed = (before: Described, after: Described) => {
  const lines = changesOf(before, after)
  if (lines.length === 0) return []
  const { offer } = after
  return [
    `~ ${named(offer)}${offer.listed ? "" : ", for renewals"}`,
    ...lines,
    ...running(offer, offer.running === 1 ? "keeps what it paid for" : "keep what they paid for")
  ]
}

/** Customers can order the offer, or only extend running orders of it, or neither. */
const sideOf = (described: Described | undefined): "ordered" | "extended" | "neither" => {
  if (described?.offer.listed === true) return "ordered"
  return described?.offer.renewable === true && described.offer.running > 0 ? "extended" : "neither"
}

const endings = { neither: "cannot be extended any more", extended: "can still be extended" }

const added = ({ offer }: Described) => [`+ ${named(offer)}${offer.listed ? "" : ", for renewals"}`, ...listed(offer)]

const offerLines = (before: Described | undefined, after: Described): ReadonlyArray<string> => {
  const [was, is] = [sideOf(before), sideOf(after)]
  if (before === undefined || was === "neither") return is === "neither" ? [] : added(after)
  if (was === is) return changed(before, after)
  if (is === "ordered") return [...added(after), ...changed(before, after)]
  return [
    `- ${named(after.offer)}: ${was === "ordered" ? "no longer on sale" : "no longer sold for renewals"}`,
    ...running(after.offer, endings[is]),
    ...(is === "extended" ? changed(before, after) : [])
  ]
}

const keeping = (count = 0) =>
  count === 0 ? "" : `; ${count} running ${count === 1 ? "proxy keeps" : "proxies keep"} it`

const poolLines = (before: Moment["addresses"], { addresses: after, held }: Moment) => {
  const proxies = new Map(held.map(({ ip, proxies }) => [ip, proxies]))
  const missing = (some: Moment["addresses"], others: Moment["addresses"]) => {
    const pools = new Map(others.map(({ ip, pool }) => [ip, pool]))
    return some.filter(({ ip, pool }) => pools.get(ip) !== pool)
  }
  return [
    ...missing(after, before).map(({ ip, pool }) => `+ ${ip} is sold by the pool ${pool}`),
    ...missing(before, after).map(
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

/** Lists the effects of a change of the shop: one line for each offer and address, and one for each price. */
export const linesOf = (before: Moment, after: Moment): ReadonlyArray<string> => {
  const old = new Map(describedIn(before).map((described) => [described.offer.id, described]))
  return [
    ...poolLines(before.addresses, after),
    ...boundLines(before, after),
    ...describedIn(after).flatMap((described) => offerLines(old.get(described.offer.id), described))
  ]
}

/** Lists the offers on sale with their ids, prices and costs. */
export const pricesOnSale = (offers: ReadonlyArray<OfferRow>): ReadonlyArray<string> =>
  offers.filter((offer) => offer.listed).flatMap((offer) => [named(offer), ...listed(offer)])
