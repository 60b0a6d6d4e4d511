import { randomUUID } from "node:crypto"

/** A connection from an exit address that several proxies share. Times are in milliseconds. */
export interface LoggedConnection {
  readonly id: string
  readonly proxy_id: string
  readonly exit_ip: string
  readonly exit_port: number
  readonly opened_at: number
  /** The time at which it was last known to be open, or its end. */
  seen_at: number
  closed: boolean
  /** The address of the destination. It never leaves this process as it is. */
  readonly destination: string
  readonly destination_port: number
}

/** The records that may wait for the database. Beyond it, new connections are not recorded. */
const maxWaiting = 50_000
/** An open connection is reported again after this time, so that its record survives the end of the process. */
const refreshMillis = 300_000

/** The records of one gateway process that wait for the database. Traffic never waits for them. */
export class ConnectionLog {
  readonly #open = new Set<LoggedConnection>()
  readonly #waiting = new Set<LoggedConnection>()
  #dropped = 0

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#dropped === 0
  }

  /** Records an opened connection. Undefined: too many records wait, so this connection is not recorded. */
  opened(connection: Omit<LoggedConnection, "id" | "opened_at" | "seen_at" | "closed">): LoggedConnection | undefined {
    if (this.#waiting.size >= maxWaiting) {
      this.#dropped++
      return undefined
    }
    const now = Date.now()
    const logged = { ...connection, id: randomUUID(), opened_at: now, seen_at: now, closed: false }
    this.#open.add(logged)
    this.#waiting.add(logged)
    return logged
  }

  closed(logged: LoggedConnection) {
    logged.closed = true
    logged.seen_at = Math.max(logged.opened_at, Date.now())
    this.#open.delete(logged)
    this.#waiting.add(logged)
  }

  closeAll() {
    for (const logged of this.#open) this.closed(logged)
  }

  /** Takes at most `limit` records, with a copy of their present state. */
  take(limit: number): ReadonlyArray<LoggedConnection> {
    const taken: Array<LoggedConnection> = []
    for (const logged of this.#waiting) {
      if (taken.length === limit) break
      this.#waiting.delete(logged)
      if (!logged.closed) logged.seen_at = Math.max(logged.opened_at, Date.now())
      taken.push(logged)
    }
    return taken
  }

  /** Lets open connections wait again whose last report is old. */
  refresh() {
    const before = Date.now() - refreshMillis
    for (const logged of this.#open) if (logged.seen_at < before) this.#waiting.add(logged)
  }

  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  /** Takes back what the database did not record. Connections that have ended are dropped when too many records wait. */
  giveBack(taken: ReadonlyArray<LoggedConnection>, dropped: number) {
    this.#dropped += dropped
    for (const logged of taken) {
      if (this.#waiting.size < maxWaiting) this.#waiting.add(logged)
      else if (logged.closed) this.#dropped++
    }
  }
}
