import { isIP } from "node:net"
import type { RefusedConnections } from "../RefusedConnections.ts"
import type { Refusal } from "./Refusal.ts"

/** Equal refusals of a proxy on one UTC day. Times are in milliseconds. */
export interface CountedRefusals {
  readonly proxy_id: string
  readonly day: string
  readonly reason: RefusedConnections["reason"]
  readonly source: string | null
  readonly host: string | null
  readonly port: number | null
  count: number
  readonly first_at: number
  last_at: number
}

type Refused = Pick<CountedRefusals, "proxy_id" | "reason" | "source" | "host" | "port">

/** The counts that may wait for the database. Beyond it, refusals are not recorded. */
const maxWaiting = 10_000
/** The clients and destinations of one proxy that may wait. Beyond it, its refusals are counted by their reason only. */
const maxShownPerProxy = 100

/** A destination as a client names it. */
interface Named {
  readonly host: string
  readonly port: number
}

const nowhere = { host: null, port: null }

const isShowable = ({ host, port }: Named) => /^[\w.:-]{1,253}$/.test(host) && port >= 1 && port <= 65_535

/** The system no longer knows the address of a client that has reset its connection. The database takes no zone. */
const sourceOf = (address: string) => (isIP(address) === 0 || address.includes("%") ? null : address)

const keyOf = ({ day, host, port, proxy_id, reason, source }: Refused & { readonly day: string }) =>
  `${proxy_id} ${day} ${reason} ${source ?? ""} ${host ?? ""} ${port ?? ""}`

/** Counts the refusals of one gateway process until the database has them. Traffic never waits for it. */
export class RefusalLog {
  readonly #waiting = new Map<string, CountedRefusals>()
  /** The waiting counts of each proxy that show a client or a destination. */
  readonly #shown = new Map<string, number>()
  #dropped = 0

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** Counts a refusal of a proxy, with the address of its client or the destination, whichever is the reason. */
  refused(proxy_id: string, { reason, shown }: Refusal, source: string, destination: Named | undefined) {
    const named =
      shown === "destination" && destination !== undefined && isShowable(destination) ? destination : nowhere
    this.add({
      proxy_id,
      reason,
      source: shown === "source" ? sourceOf(source) : null,
      host: named.host,
      port: named.port
    })
  }

  /** Counts one refusal. */
  add(refused: Refused, now = Date.now()) {
    this.#count({ ...refused, day: new Date(now).toISOString().slice(0, 10), count: 1, first_at: now, last_at: now })
  }

  #count(counted: CountedRefusals) {
    const known = this.#waiting.get(keyOf(counted))
    if (known !== undefined) {
      known.count += counted.count
      known.last_at = Math.max(known.last_at, counted.last_at)
    } else this.#begin(counted)
  }

  #begin(counted: CountedRefusals) {
    const { host, proxy_id, source } = counted
    const isBare = source === null && host === null
    const shown = this.#shown.get(proxy_id) ?? 0
    if (!isBare && shown >= maxShownPerProxy) return this.#count({ ...counted, source: null, host: null, port: null })
    if (this.#waiting.size >= maxWaiting) return void (this.#dropped += counted.count)
    this.#waiting.set(keyOf(counted), counted)
    if (!isBare) this.#shown.set(proxy_id, shown + 1)
  }

  /** Takes at most `limit` counts, the oldest first. */
  take(limit: number): ReadonlyArray<CountedRefusals> {
    const taken: Array<CountedRefusals> = []
    for (const [key, counted] of this.#waiting) {
      if (taken.length === limit) break
      this.#waiting.delete(key)
      taken.push(counted)
      if (counted.source !== null || counted.host !== null) this.#forgetShown(counted.proxy_id)
    }
    return taken
  }

  #forgetShown(proxyId: string) {
    const shown = (this.#shown.get(proxyId) ?? 0) - 1
    if (shown > 0) this.#shown.set(proxyId, shown)
    else this.#shown.delete(proxyId)
  }

  /** Takes back what the database did not record. */
  giveBack(taken: ReadonlyArray<CountedRefusals>) {
    for (const counted of taken) this.#count(counted)
  }

  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}
