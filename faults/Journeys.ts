import { Effect } from "effect"
import type { Care } from "./Care.ts"
import type { Client } from "./Client.ts"
import type { Papers } from "./Papers.ts"
import type { Random } from "./Random.ts"
import type { Account, Purchase, Record, Restriction } from "./Record.ts"
import * as TopUpJourneys from "./TopUpJourneys.ts"
import type { Payer, TopUps } from "./TopUps.ts"
import type { World } from "./World.ts"

/** The offers for a journey: proxies of the product's gateway, and the vendor's. */
export interface Goods {
  readonly own: ReadonlyArray<Offer>
  readonly vendors: ReadonlyArray<Offer>
  /** The product's own proxies that have an address for themselves in every shop. */
  readonly movable: ReadonlyArray<Offer>
}

interface Offer {
  readonly id: number
  /** The price of one month. */
  readonly cents: number
  /** True when a customer can buy more traffic for it. */
  readonly hasTraffic: boolean
}

/** The number of simultaneous orders of a customer with little money. */
const burst = 12
const poorDeposit = 2
/** The service takes no smaller deposit, in dollars. */
const leastDeposit = 1

/** A deposit that pays for two orders. */
const forTwo = ({ cents }: Offer) => Math.max(leastDeposit, (2 * cents) / 100)

/** Reads the catalog as a customer does. */
export const goodsOf = Effect.fnUntraced(function* (client: Client) {
  const catalog = yield* client.ask({ method: "GET", path: "/v1/catalog" })
  const all: ReadonlyArray<any> = (catalog?.body.kinds ?? []).flatMap((kind: any) => kind.offers)
  const sold = all.flatMap((offer): ReadonlyArray<Offer & { isVendors: boolean; isMovable: boolean }> => {
    const month = offer.options?.find((option: any) => option.period_months === 1)
    if (offer.mode !== "static" || month === undefined) return []
    const cents = Math.round(month.price * 100)
    // Only the vendor sells an IPv4 address of a data center for more than two dollars.
    const isVendors = offer.kind === "datacenter" && offer.ip_version === "IPv4" && cents > 200
    const hasTraffic = offer.kind === "residential"
    return [{ id: offer.id, cents, hasTraffic, isVendors, isMovable: hasTraffic && offer.country_code === "FR" }]
  })
  const goods: Goods = {
    own: sold.filter(({ isVendors }) => !isVendors),
    vendors: sold.filter(({ isVendors }) => isVendors),
    movable: sold.filter(({ isMovable }) => isMovable)
  }
  if (Object.values(goods).some(({ length }) => length === 0))
    return yield* Effect.die(new Error(`nothing is sold: ${JSON.stringify(all).slice(0, 500)}`))
  return goods
})

interface Options {
  readonly client: Client
  readonly care: Care
  readonly papers: Papers
  readonly random: Random
  readonly goods: Goods
  readonly accounts: ReadonlyArray<Account>
  readonly payers: ReadonlyArray<Payer>
  readonly topUps: TopUps
  /** The percentage of orders that go to the vendor. */
  readonly vendorShare: number
  /** The percentage of journeys of customers with a card that pays by itself. */
  readonly topUpShare: number
  /** The share of orders from the wallet that are changed afterwards. */
  readonly changeShare: number
  /** The percentage of journeys in which staff care for a customer, beside those of every run. */
  readonly careShare: number
  /** The percentage of journeys with invoices and announcements, beside those of every run. */
  readonly paperShare: number
  /** The address for the webhooks of all accounts. */
  readonly receiverUrl: string
  /** The time of the product's clock. */
  readonly now: () => number
  readonly record: Record
  readonly restrict: World["restrict"]
  readonly verify: World["verify"]
}

const ordering =
  (client: Client) =>
  (account: Account, offer: Offer, quantity: number, payment_method = "wallet", quoted?: Purchase["quoted"]) =>
    client.buy(
      { account, path: "/v1/orders", quantity, order_id: null, quoted },
      { offer_id: offer.id, payment_method, quantity }
    )

export type Ordering = ReturnType<typeof ordering>

const both = ["refund", "dispute"] as const
/** The reversals of a payment: mostly two, which may claim the same money. */
const kindsOfReversals = [["refund"], ["dispute"], both, both, both, both] as const

/** Journeys of customers who come once. */
const makeStrangers = ({ accounts, care, client, goods, random, receiverUrl, record, restrict }: Options) => {
  let count = accounts.length
  const order = ordering(client)
  const rich = accounts.filter(({ isPoor }) => !isPoor)

  /** A customer without a wallet. */
  const newcomer = Effect.gen(function* () {
    const account = yield* client.register(`new${count++}`, false, receiverUrl)
    yield* client.deposit(account, poorDeposit)
    yield* order(account, random.pick(goods.own), 1)
  })

  /** A payment is reversed: while it arrives, while it is spent, or afterwards. Then its account tries to buy. */
  const chargeback = Effect.gen(function* () {
    const account = yield* client.register(`back${count++}`, false, receiverUrl, random.pick(rich))
    const offer = random.pick(goods.own)
    // The wallet always covers the reversal: an operator would have to settle a shortfall.
    yield* client.deposit(account, forTwo(offer))
    const deposit = yield* client.toDeposit(account, 5)
    if (deposit === undefined) return
    const wanted = random
      .pick<ReadonlyArray<"refund" | "dispute">>(kindsOfReversals)
      .map((kind) => ({ amount: random.between(1, 5), kind, isReturned: random.chance(0.5) }))
    const reverse = client.reverse(account, deposit, wanted)
    const buy = order(account, offer, 1)
    const luck = random.next()
    if (luck > 0.4) yield* deposit.pay
    const meanwhile = luck < 0.4 ? deposit.pay : luck < 0.7 ? buy : Effect.void
    const [chargeback] = yield* Effect.all([reverse, meanwhile], { concurrency: 2 })
    chargeback.orderedAfter = (yield* buy)?.status
  })

  /** A customer buys and deletes the account. */
  const leaver = Effect.gen(function* () {
    const account = yield* client.register(`left${count++}`, false, receiverUrl)
    const offer = random.pick(goods.own)
    yield* client.deposit(account, forTwo(offer))
    yield* order(account, offer, 2)
    yield* client.leave(account)
  })

  /** The operator suspends or bans a customer who is buying. Some are freed again, and buy. */
  const restricted = Effect.gen(function* () {
    const account = yield* client.register(`stopped${count++}`, false, receiverUrl)
    const offer = random.pick(goods.own)
    yield* client.deposit(account, 2 * forTwo(offer))
    const buy = order(account, offer, 1)
    yield* buy
    const isFreed = random.chance(0.5)
    account.isRestricted = true
    const [lift] = yield* Effect.all([restrict(account, random.pick(["suspend", "ban"])), buy], { concurrency: 2 })
    const restriction: Restriction = { user_id: account.id, orderedDuring: undefined, orderedAfter: undefined }
    record.restrictions.push(restriction)
    restriction.orderedDuring = (yield* buy)?.status
    if (!isFreed) return
    yield* lift
    account.isRestricted = false
    // An instance that was away keeps the refused key for a moment.
    yield* Effect.sleep("4 seconds")
    restriction.orderedAfter = (yield* buy)?.status
  })

  /** Asks for money back. */
  const saver = Effect.suspend(() =>
    Effect.flatMap(client.register(`saver${count++}`, false, receiverUrl), care.withdraw)
  )

  return { newcomer, chargeback, leaver, restricted, saver }
}

/** The service keeps the files of some mails only, and each announcement has many. */
const newsAtMost = 10

/** Journeys with papers and mails. */
const makeReaders = ({ accounts, care, client, papers, random, receiverUrl, record, verify }: Options) => {
  let count = 0
  const rich = accounts.filter(({ isPoor }) => !isPoor)

  /** Reads the invoice of a payment, while a part of it goes back. */
  const billed = Effect.suspend(() =>
    Effect.flatMap(client.register(`bill${count++}`, false, receiverUrl), papers.billed)
  )

  /** Staff mail everybody, and certainly the customers who stay. */
  const news = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach(rich, ({ id }) => verify(id)),
      care.announce(rich)
    )
  )

  const any = Effect.suspend(() => (random.chance(0.2) && record.announcements.length < newsAtMost ? news : billed))

  return { billed, news, any }
}

/** A minute less than the time for which a quote holds: the order is dated after its price. */
const quoteMillis = 9 * 60_000
const quotedOffers = 3

/** Journeys of a customer who is quoted prices and orders after a change of them. */
const makeQuoted = ({ accounts, client, goods, now, random }: Options) => {
  const order = ordering(client)
  const rich = accounts.filter(({ isPoor }) => !isPoor)

  const quote = Effect.fnUntraced(function* (account: Account, offer: Offer) {
    const until = now() + quoteMillis
    const answer = yield* client.ask({
      method: "POST",
      path: "/v1/orders/quote",
      body: { offer_id: offer.id, payment_method: "wallet", quantity: 1 },
      headers: { "x-api-key": account.api_key }
    })
    return answer?.status === 200 ? { price: Math.round(answer.body.total * 1e6), until } : undefined
  })

  return Effect.fnUntraced(function* (change: Effect.Effect<void>) {
    const account = random.pick(rich)
    const offers = [...new Set(Array.from({ length: quotedOffers }, () => random.pick(goods.own)))]
    const quotes = yield* Effect.forEach(offers, (offer) => quote(account, offer), { concurrency: quotedOffers })
    yield* change
    const orders = offers.map((offer, index) => order(account, offer, 1, "wallet", quotes[index]))
    // The end of the misfortunes must leave no order without its answer.
    yield* Effect.uninterruptible(Effect.all(orders, { concurrency: quotedOffers, discard: true }))
  })
}

/** Extends an order, or adds traffic to it. */
const changing =
  ({ client, random }: Options) =>
  (account: Account, order_id: string, what: "extend" | "bandwidth") => {
    const wanted = { account, path: `/v1/orders/${order_id}/${what}`, quantity: 0, order_id }
    return client.buy(wanted, what === "extend" ? { months: 1 } : { bandwidth_gb: random.between(1, 50) })
  }

/**
 * Staff gives a customer money and takes some back, returns parts of an order that may be changing, replaces its proxy, and gives
 * time.
 */
const makeCared = (options: Options) => {
  const { accounts, care, changeShare, client, goods, random } = options
  const rich = accounts.filter(({ isPoor }) => !isPoor)
  return Effect.gen(function* () {
    const account = random.pick(rich)
    yield* care.credit(account)
    if (random.chance(0.3)) yield* care.debit(account)
    const answer = yield* ordering(client)(account, random.pick(random.chance(0.5) ? goods.movable : goods.own), 1)
    if (answer?.status !== 201) return
    const { id, status } = answer.body[0]
    if (status !== "provisioned") return
    const busy = random.chance(changeShare) ? changing(options)(account, id, "extend") : Effect.void
    const work = Effect.andThen(care.replace(id), care.extend(id))
    yield* Effect.all([care.refund(id), care.approved(id), work, busy], { concurrency: 4 })
  })
}

/** Journeys of customers, one after the other. */
export const make = (options: Options) => {
  const { accounts, careShare, changeShare, client, goods, paperShare, random, topUpShare, vendorShare } = options
  const cared = makeCared(options)
  const change = changing(options)
  const { chargeback, leaver, newcomer, restricted, saver } = makeStrangers(options)
  const readers = makeReaders(options)
  const strangers = [newcomer, chargeback, leaver, restricted, saver, readers.billed, readers.news]
  const order = ordering(client)
  const topUp = TopUpJourneys.make({ ...options, order })
  const rich = accounts.filter(({ isPoor }) => !isPoor)
  const poor = accounts.filter(({ isPoor }) => isPoor)
  const anyOffer = () => random.pick(random.chance(vendorShare / 100) ? goods.vendors : goods.own)

  const fromWallet = Effect.gen(function* () {
    const account = random.pick(rich)
    const offer = anyOffer()
    const answer = yield* order(account, offer, random.pick([1, 1, 1, 2, 3]))
    if (answer?.status !== 201 || !random.chance(changeShare)) return
    const { id, status } = answer.body[0]
    if (status !== "provisioned") return
    yield* change(account, id, offer.hasTraffic && random.chance(0.5) ? "bandwidth" : "extend")
  })

  /** Pays at a gateway, cancels the order, or does both simultaneously. */
  const atGateway = Effect.gen(function* () {
    const account = random.pick(rich)
    const offer = anyOffer()
    const quantity = random.between(1, 2)
    const answer = yield* order(account, offer, quantity, "crypto_gateway")
    if (answer?.status !== 201) return
    const [{ id, payment_info }] = answer.body
    const pay = client.report(account, payment_info.payment_intent_id, ((offer.cents * quantity) / 100).toFixed(2))
    const cancel = client.asUser(account, { method: "POST", path: `/v1/orders/${id}/cancel`, body: {} })
    const luck = random.next()
    if (luck < 0.5) yield* pay
    else if (luck < 0.75) yield* cancel
    else yield* Effect.all([pay, cancel], { concurrency: 2 })
  })

  const deposit = Effect.suspend(() => client.deposit(random.pick(rich), random.between(1, 50)))

  /** Has money for a few orders, and asks for many simultaneously. */
  const spree = Effect.gen(function* () {
    const account = random.pick(poor)
    yield* client.deposit(account, poorDeposit)
    const offer = random.pick(goods.own)
    yield* Effect.forEach(Array.from({ length: burst }), () => order(account, offer, 1), { concurrency: burst })
  })

  const any = Effect.suspend(() => {
    if (random.chance(topUpShare / 100)) return topUp.any
    if (random.chance(careShare / 100)) return cared
    if (random.chance(paperShare / 100)) return readers.any
    const luck = random.next()
    if (luck < 0.74) return fromWallet
    if (luck < 0.78) return random.chance(0.2) ? saver : cared
    if (luck < 0.88) return atGateway
    if (luck < 0.9) return readers.any
    if (luck < 0.95) return deposit
    if (luck < 0.97) return chargeback
    if (luck < 0.98) return leaver
    if (luck < 0.99) return restricted
    return luck < 0.995 ? newcomer : spree
  })

  return {
    any,
    each: [fromWallet, cared, atGateway, deposit, spree, ...strangers, ...topUp.each],
    switchOn: topUp.switchOn,
    /** A customer is quoted prices, and orders when the change of them is over. */
    quoted: makeQuoted(options),
    order: (offer: Offer) => order(random.pick(rich), offer, 1)
  }
}
export type Journeys = ReturnType<typeof make>
