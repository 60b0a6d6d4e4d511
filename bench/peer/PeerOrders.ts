import { hash } from "node:crypto"
import { DatabaseError, type Pool } from "pg"
import { type Account, Refused } from "./PeerAccess.ts"
import type { Catalog } from "./PeerCatalog.ts"
import { listed, type Row, view } from "./PeerOrderView.ts"
import { makePurchase, type Request } from "./PeerPurchase.ts"
import { findClaim, forgetClaim, orderById, orderPage, orderTotal, takeClaimOver } from "./Statements.ts"

interface Claim {
  readonly request_hash: string
  /** The order. */
  readonly reference: Array<string>
  readonly answer: unknown
  readonly expires_at: Date
}

export const makeOrders = (pool: Pool, catalog: Catalog) => {
  const { buy, settle } = makePurchase(pool, catalog)

  const get = async (account: Account, id: string) => {
    const [row] = (await pool.query<Row>({ ...orderById, values: [id] })).rows
    if (row === undefined) throw new Refused(404, "NOT_FOUND", "There is no such order")
    if (row.user_id !== account.user_id) throw new Refused(403, "FORBIDDEN", "This order belongs to another account")
    return view(row)
  }

  const list = async (account: Account, limit: number, offset: number) => {
    const [total, page] = await Promise.all([
      pool.query<{ total: number }>({ ...orderTotal, values: [account.user_id] }),
      pool.query<Row>({ ...orderPage, values: [account.user_id, limit, offset] })
    ])
    return { orders: page.rows.map(listed), total: total.rows[0]?.total ?? 0, limit, offset }
  }

  /** The answer to a used key: the stored answer, or that of an unfinished request, finished here. */
  const replay = async (account: Account, key: string, request_hash: string) => {
    const now = new Date()
    const at = [account.user_id, key]
    const claim = (await pool.query<Claim>({ ...findClaim, values: at })).rows[0]
    if (claim === undefined) return undefined
    if (claim.expires_at <= now) {
      await pool.query({ ...forgetClaim, values: [...at, now] })
      return undefined
    }
    if (claim.request_hash !== request_hash)
      throw new Refused(409, "CONFLICT", "This idempotency key was used with a different request; use a new key")
    if (claim.answer !== null) return claim.answer
    const { rowCount } = await pool.query({ ...takeClaimOver, values: [...at, now] })
    const [order] = rowCount === 1 ? (await pool.query<Row>({ ...orderById, values: claim.reference })).rows : []
    if (order === undefined) throw new Refused(409, "CONFLICT", "The first request with this key is still running")
    return settle(account, key, order, now)
  }

  const place = async (account: Account, request: Request, key: string) => {
    const { auto_renew, notes = null, offer_id, payment_method, period_days, protocol, quantity } = request
    const fields = [auto_renew, notes, offer_id, payment_method, period_days, protocol, quantity]
    const request_hash = hash("sha256", JSON.stringify(fields))
    const kept = await replay(account, key, request_hash)
    if (kept !== undefined) return { answer: kept, replayed: true }
    try {
      return { answer: await buy(account, request, key, request_hash), replayed: false }
    } catch (error) {
      if (!(error instanceof DatabaseError && error.constraint === "idempotency_key_pkey")) throw error
      return { answer: await replay(account, key, request_hash), replayed: true }
    }
  }

  return { get, list, place }
}
