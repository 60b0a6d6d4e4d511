import * as Money from "../platform/Money.ts"
import type { OfferRow, ShopRows } from "./ShopRepo.ts"

/** The catalog and the pools before and after a change. */
export interface Moment {
  readonly offers: ReadonlyArray<OfferRow>
  readonly addresses: ShopRows["addresses"]
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

/** Lists the prices of an offer: the name of the period or GB, the price, and the cost, as text. */
const pricesOf = ({
  options,
  price_per_gb
}: OfferRow): ReadonlyArray<readonly [what: string, price: string, cost: string]> => [
  ...options.map(
    ({ bandwidth_gb, cost_usd, period_name, prices }) =>
      [
        bandwidth_gb === null ? period_name : `${period_name} with ${bandwidth_gb} GB`,
        amount(prices),
        costing(prices.USD, cost_usd)
      ] as const
  ),
  ...(price_per_gb.USD === null
    ? []
    : [["one more GB", amount(price_per_gb), costing(price_per_gb.USD, price_per_gb.cost_usd)] as const])
]

const running = ({ running }: OfferRow, keep: string) =>
  running === 0 ? [] : [`    ${running} running ${running === 1 ? "order" : "orders"} ${keep}`]

const named = ({ external_id, name, provider }: OfferRow) => `${provider} ${external_id}, ${name}`

const listed = (offer: OfferRow) => pricesOf(offer).map(([what, price, cost]) => `    ${what}: ${price}${cost}`)

const added = (offer: OfferRow) => [`+ ${named(offer)}`, ...listed(offer)]

const hidden = (offer: OfferRow) => [
  `- ${named(offer)}: no longer on sale`,
  ...running(offer, offer.renewable ? "can still be extended" : "cannot be extended any more")
]

/** What else customers see or get of an offer. */
const details: ReadonlyArray<readonly [string, (offer: OfferRow) => unknown]> = [
  ["description", ({ description }) => description],
  ["places", ({ locations }) => locations],
  ["protocols", ({ protocols }) => protocols],
  ["months", ({ options }) => options.map(({ period_months }) => period_months)]
]

const changed = (before: OfferRow, after: OfferRow) => {
  const old = new Map(pricesOf(before).map(([what, price, cost]) => [what, { price, cost }]))
  const now = pricesOf(after)
  const prices = now.flatMap(([what, price, cost]) => {
    const was = old.get(what)
    if (was?.price !== price) return `    ${what}: ${was?.price ?? "not sold"} → ${price}${cost}`
    return was.cost === cost ? [] : `    ${what}: ${price}${cost || " (costs you nothing)"}`
  })
  const gone = [...old.keys()].filter((what) => !now.some(([name]) => name === what))
  const lines = [...prices, ...gone.map((what) => `    ${what}: no longer sold`)]
  const other = details.flatMap(([field, of]) =>
    JSON.stringify(of(before)) === JSON.stringify(of(after)) ? [] : `    ${field}: changed`
  )
  const renamed = before.name === after.name ? [] : [`    name: ${before.name} → ${after.name}`]
  return renamed.length + other.length + lines.length === 0
    ? []
    : [
        `~ ${named(after)}`,
        ...renamed,
        ...other,
        ...lines,
        ...running(after, after.running === 1 ? "keeps what it paid for" : "keep what they paid for")
      ]
}

const offerLines = (before: OfferRow | undefined, after: OfferRow) => {
  if (after.listed) return before?.listed === true ? changed(before, after) : added(after)
  if (before?.listed === true) return hidden(after)
  return before?.renewable === true && !after.renewable ? hidden(after) : []
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

/** Lists the effects of a change of the shop: one line for each offer and address, and one for each price. */
export const linesOf = (before: Moment, after: Moment): ReadonlyArray<string> => {
  const old = new Map(before.offers.map((offer) => [offer.id, offer]))
  return [
    ...poolLines(before.addresses, after),
    ...after.offers.flatMap((offer) => offerLines(old.get(offer.id), offer))
  ]
}

/** Lists the offers on sale with their ids, prices and costs. */
export const pricesOnSale = (offers: ReadonlyArray<OfferRow>): ReadonlyArray<string> =>
  offers.filter((offer) => offer.listed).flatMap((offer) => [named(offer), ...listed(offer)])
