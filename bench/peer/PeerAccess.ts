import type { FastifyReply, FastifyRequest } from "fastify"
import { hash } from "node:crypto"
import type { Pool } from "pg"
import { findKey, markKeyUsed } from "./Statements.ts"

/** A refusal with its status. */
export class Refused extends Error {
  readonly statusCode: number
  readonly code: string
  constructor(statusCode: number, code: string, detail: string) {
    super(detail)
    this.statusCode = statusCode
    this.code = code
  }
}

export interface Account {
  readonly id: string
  readonly user_id: string
  readonly scopes: ReadonlyArray<string> | null
  /** True when the key may be used from the client's address. */
  readonly is_address_allowed: boolean
  /** In micro-dollars. */
  readonly daily_spend_limit_usd: string | null
  readonly last_used_at: Date | null
}

const perMinute = 1_000_000
const minute = 60_000

/** Limits the requests of each caller a minute, in memory, with the same headers. */
const makeLimit = () => {
  const windows = new Map<string, { endsAt: number; used: number }>()
  return (reply: FastifyReply, key: string) => {
    const now = Date.now()
    let window = windows.get(key)
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + minute, used: 0 }
      windows.set(key, window)
    }
    window.used += 1
    const reset = Math.ceil((window.endsAt - now) / 1000)
    void reply.header("ratelimit-policy", `"global";q=${perMinute};w=60`)
    void reply.header("ratelimit", `"global";r=${Math.max(0, perMinute - window.used)};t=${reset}`)
    if (window.used <= perMinute) return
    void reply.header("retry-after", String(reset))
    throw new Refused(429, "RATE_LIMITED", "Too many requests; try again after the seconds given in Retry-After")
  }
}

const shape = /^prk_[\w-]{43}$/

/**
 * Authenticates an API key by its SHA-256, its allowed addresses and the needed scope; records its use to the minute.
 */
export const makeAccess = (pool: Pool) => {
  const limit = makeLimit()

  const anonymous = (request: FastifyRequest, reply: FastifyReply) => limit(reply, `address:${request.ip}`)

  const byKey = async (request: FastifyRequest, reply: FastifyReply, scope: string): Promise<Account> => {
    const key = request.headers["x-api-key"]
    const now = new Date()
    const found =
      typeof key === "string" && shape.test(key)
        ? (await pool.query<Account>({ ...findKey, values: [hash("sha256", key), now, request.ip] })).rows[0]
        : undefined
    if (found === undefined) {
      anonymous(request, reply)
      throw new Refused(401, "UNAUTHORIZED", "Missing, expired or malformed credentials")
    }
    if (!found.is_address_allowed) {
      anonymous(request, reply)
      throw new Refused(403, "FORBIDDEN", "The key may not be used from this address; see its allowed_ips")
    }
    limit(reply, `account:${found.user_id}`)
    if (found.scopes !== null && !found.scopes.includes(scope))
      throw new Refused(403, "INSUFFICIENT_SCOPE", "The key lacks the scope that this operation needs")
    if (found.last_used_at === null || now.getTime() - found.last_used_at.getTime() >= minute)
      await pool.query({ ...markKeyUsed, values: [found.id, now] })
    return found
  }

  return { anonymous, byKey }
}
