import { randomUUIDv7 } from "node:crypto"
import type { Pool } from "pg"
import * as InstantProvider from "./InstantProvider.ts"
import { type Account, Refused } from "./PeerAccess.ts"
import type { Catalog, Offer } from "./PeerCatalog.ts"
import { type Shown, view } from "./PeerOrderView.ts"
import { deliver, lockWallets, purchaseAndBegin, spentByKey } from "./Statements.ts"

export interface Request {
  readonly offer_id: number
  readonly payment_method: "wallet"
  readonly protocol: string
  readonly quantity: 1
  readonly period_days: number
  readonly auto_renew: boolean
  readonly notes?: string | null
}

interface Sold {
  readonly offer: Offer
  readonly option: Offer["options"][number]
  /** In micro-dollars. */
  readonly price: string
}

interface Purchase extends Sold {
  readonly account: Account
  readonly request: Request
  readonly key: string
  readonly request_hash: string
  readonly id: string
  readonly now: Date
}

const dayMillis = 86_400_000

const purchaseValues = ({ account, id, key, now, offer, option, price, request, request_hash }: Purchase) => [
  account.user_id,
  price,
  now,
  key,
  request_hash,
  id,
  randomUUIDv7(),
  `${offer.name}, ${option.period_name}`,
  account.id,
  offer.id,
  offer.provider,
  offer.external_id,
  offer.kind,
  offer.mode,
  offer.ip_version,
  request.protocol,
  offer.country_code,
  option.period_days,
  option.period_months,
  request.auto_renew,
  request.notes ?? null,
  randomUUIDv7()
]

/** The order after its payment. */
const paid = ({ id, offer, option, price, request }: Purchase): Shown => ({
  id,
  status: "paid",
  proxy_status: "pending",
  total_usd: price,
  proxy_type: offer.kind,
  ip_version: offer.ip_version,
  protocol: request.protocol,
  country: offer.country_code,
  period_days: option.period_days,
  bandwidth_gb: option.bandwidth_gb,
  payment_method: "wallet",
  payment_intent_id: null,
  payment_url: null,
  provider_proxy_id: null,
  host: null,
  port: null,
  username: null,
  password: null,
  whitelisted_ips: [],
  expires_at: null
})

/** The customer gets notice of the end three days before it, or a fifth of the period. */
const expiringAt = (expires_at: Date, days: number) =>
  new Date(expires_at.getTime() - Math.min(3, days * 0.2) * dayMillis)

const midnight = (now: Date) => new Date(now.getTime() - (now.getTime() % dayMillis))

/** One statement. A key with a daily limit first needs a look at its spending, under a lock of the wallets. */
const makeCharge = (pool: Pool) => async (purchase: Purchase) => {
  const { account, now, price } = purchase
  const statement = { ...purchaseAndBegin, values: purchaseValues(purchase) }
  if (account.daily_spend_limit_usd === null) return pool.query(statement)
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    await client.query({ ...lockWallets, values: [account.user_id] })
    const { rows } = await client.query<{ spent: string }>({ ...spentByKey, values: [account.id, midnight(now)] })
    if (BigInt(rows[0]?.spent ?? 0) + BigInt(price) > BigInt(account.daily_spend_limit_usd))
      throw new Refused(403, "FORBIDDEN", "This purchase exceeds the daily limit of the API key")
    const bought = await client.query(statement)
    await client.query("COMMIT")
    return bought
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  } finally {
    client.release()
  }
}

/**
 * Buys one proxy and answers it delivered: one statement pays, then the provider is asked, and another statement
 * settles.
 */
export const makePurchase = (pool: Pool, catalog: Catalog) => {
  const charge = makeCharge(pool)

  const sold = ({ offer_id, period_days, protocol }: Request): Sold => {
    const offer = catalog.offer(offer_id)
    if (offer === undefined) throw new Refused(404, "NOT_FOUND", "No such offer")
    const option = offer.options.find((option) => option.period_days === period_days)
    if (option === undefined || option.prices.USD === null || !offer.protocols.includes(protocol))
      throw new Refused(400, "BAD_REQUEST", "The offer is not sold like that")
    if (!offer.is_available) throw new Refused(409, "CONFLICT", "The offer is out of stock")
    return { offer, option, price: option.prices.USD }
  }

  /** Delivers a paid order, and keeps the answer with the client's key. */
  const settle = async (account: Account, key: string, order: Shown, now: Date) => {
    const proxy = InstantProvider.proxyOf(order.id)
    const expires_at = new Date(now.getTime() + order.period_days * dayMillis)
    const delivered = { ...order, status: "provisioned", proxy_status: "active", ...proxy, expires_at }
    const answer = [view(order.status === "paid" ? delivered : order)]
    const { host, password, port, provider_proxy_id, username } = proxy
    const access = [provider_proxy_id, host, port, username, password]
    const cycle = [now, expiringAt(expires_at, order.period_days), expires_at]
    const values = [order.id, ...access, ...cycle, JSON.stringify(answer), account.user_id, key]
    await pool.query({ ...deliver, values })
    return answer
  }

  const buy = async (account: Account, request: Request, key: string, request_hash: string) => {
    const now = new Date()
    const purchase = { ...sold(request), account, request, key, request_hash, id: randomUUIDv7(), now }
    const bought = await charge(purchase)
    if (bought.rowCount === 0) throw new Refused(409, "CONFLICT", "The wallet has too little money")
    return settle(account, key, paid(purchase), now)
  }

  return { buy, settle }
}
