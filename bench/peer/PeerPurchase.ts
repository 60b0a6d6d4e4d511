import { randomUUIDv7 } from "node:crypto"
import type { Pool } from "pg"
import * as InstantProvider from "./InstantProvider.ts"
import { type Account, Refused } from "./PeerAccess.ts"
import type { makeCatalog, Offer } from "./PeerCatalog.ts"
import { view } from "./PeerOrderView.ts"
import { deliver, purchaseAndBegin } from "./Statements.ts"

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

type Proxy = ReturnType<typeof InstantProvider.proxyOf>

const delivered = ({ id, offer, option, price, request }: Purchase, proxy: Proxy, expires_at: Date) =>
  view({
    id,
    status: "provisioned",
    proxy_status: "active",
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
    ...proxy,
    whitelisted_ips: [],
    expires_at
  })

/** Notice of the end is given three days before it, or a fifth of the time. */
const expiringAt = (expires_at: Date, days: number) =>
  new Date(expires_at.getTime() - Math.min(3, days * 0.2) * dayMillis)

/** Buys one proxy and answers it delivered: paid in one statement, asked of the provider, settled in another. */
export const makePurchase = (pool: Pool, catalog: ReturnType<typeof makeCatalog>) => {
  const sold = async ({ offer_id, period_days, protocol }: Request): Promise<Sold> => {
    const offer = await catalog.offer(offer_id)
    if (offer === undefined) throw new Refused(404, "NOT_FOUND", "No such offer")
    const option = offer.options.find((option) => option.period_days === period_days)
    if (option === undefined || option.prices.USD === null || !offer.protocols.includes(protocol))
      throw new Refused(400, "BAD_REQUEST", "The offer is not sold like that")
    if (!offer.is_available) throw new Refused(409, "CONFLICT", "The offer is out of stock")
    return { offer, option, price: option.prices.USD }
  }

  return async (account: Account, request: Request, key: string, request_hash: string) => {
    const id = randomUUIDv7()
    const now = new Date()
    const purchase = { ...(await sold(request)), account, request, key, request_hash, id, now }
    const bought = await pool.query({ ...purchaseAndBegin, values: purchaseValues(purchase) })
    if (bought.rowCount === 0) throw new Refused(409, "CONFLICT", "The wallet has too little money")
    const proxy = InstantProvider.proxyOf(id)
    const { period_days } = purchase.option
    const expires_at = new Date(now.getTime() + period_days * dayMillis)
    const answer = [delivered(purchase, proxy, expires_at)]
    const { host, password, port, provider_proxy_id, username } = proxy
    const access = [provider_proxy_id, host, port, username, password]
    const cycle = [now, expiringAt(expires_at, period_days), expires_at]
    await pool.query({ ...deliver, values: [id, ...access, ...cycle, JSON.stringify(answer), account.user_id, key] })
    return answer
  }
}
