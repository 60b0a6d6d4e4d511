import type { Session } from "../admission/SessionNames.ts"

/** The sessions of one proxy. Beyond it, the one that began first ends. */
const mostPerProxy = 1_000
/** The sessions of all proxies. Beyond it, a proxy without sessions gets none. */
const most = 100_000

interface Held {
  readonly ip: string
  /** By `performance.now()`. */
  readonly until: number
}

interface Exits {
  turn: number
  readonly sessions: Map<string, Held>
}

/** Picks exit addresses of proxies whose connections take another address each, unless their client names a session. */
export class StickyExits {
  readonly #exits = new Map<string, Exits>()
  #sessions = 0

  /** Picks one of the addresses. Undefined: there are none. */
  pick(proxyId: string, addresses: ReadonlyArray<string>, session?: Session, now = performance.now()) {
    const exits = this.#exits.getOrInsertComputed(proxyId, () => ({ turn: 0, sessions: new Map() }))
    const held = session && exits.sessions.get(session.name)
    if (held !== undefined && held.until > now && addresses.includes(held.ip)) return held.ip
    const ip = addresses[exits.turn++ % addresses.length]
    if (session !== undefined && ip !== undefined)
      this.#keep(exits.sessions, session.name, { ip, until: now + session.minutes * 60_000 })
    return ip
  }

  #keep(sessions: Exits["sessions"], name: string, held: Held) {
    if (sessions.delete(name)) this.#sessions--
    if (sessions.size >= mostPerProxy || this.#sessions >= most) {
      const [oldest] = sessions.keys()
      if (oldest === undefined) return
      sessions.delete(oldest)
      this.#sessions--
    }
    sessions.set(name, held)
    this.#sessions++
  }

  /** Ends the sessions of a proxy. */
  forget(proxyId: string) {
    this.#sessions -= this.#exits.get(proxyId)?.sessions.size ?? 0
    this.#exits.delete(proxyId)
  }
}
