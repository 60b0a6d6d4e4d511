import type { GatewayProxy } from "../GatewayProxy.ts"

/** Bytes that passed in one hour, in or after one cycle's time, under a lease of it. */
interface HourOfTraffic {
  readonly hour_seconds: number
  readonly cycle: number
  readonly bytes: number
}

/** What a gateway tells the database about one proxy. */
export interface TrafficReport {
  readonly proxy_id: string
  /** The cycle that `bytes` belong to; `hours` are of all that passed. */
  readonly cycle: number
  readonly hours: ReadonlyArray<HourOfTraffic>
  readonly bytes: number
  /** Whether the gateway wants to go on: false gives the rest of the lease back. */
  readonly hold: boolean
}

/** What the database answers. */
export interface TrafficLease {
  readonly proxy_id: string
  readonly cycle: number
  /** The revision of the proxy's row. When the meter has another one, the row is still to be read. */
  readonly revision: number
  /** What may pass before the next report. */
  readonly leased_bytes: number
  /** Nothing is left beyond it, here or with any other gateway. */
  readonly last: boolean
}

/** A connection whose traffic is metered. */
export interface MeteredLink {
  /** More traffic may pass. */
  readonly resumeTraffic: () => void
  /** The traffic limit is reached: deliver what has passed, then end. */
  readonly endTraffic: () => void
}

/**
 * The most a gateway may let through under a limit without asking again, and so the most a crash may
 * cost a customer. Without a limit nothing waits, but as much traffic is reported at once.
 */
export const leaseBytes = 16 * 1024 * 1024

const hourMillis = 3_600_000
const idleMillis = 3_000

/**
 * Counts the bytes of one proxy, all its connections together, and lets no more pass than the
 * database has leased. Without a limit everything passes and is only counted.
 *
 * `leased` is the lease before the report that is under way; what may pass is the lease less all
 * bytes not yet confirmed, so a slow or lost answer can never let too much pass.
 *
 * Only the proxy's row moves a meter to the next cycle: what passes until it is read passes under a
 * lease of the ended one and is charged to neither, so a cycle is never charged for another one's traffic.
 */
export class TrafficMeter {
  readonly proxyId: string
  /** Nobody can be served through this meter any more; it only has its last bytes to report. */
  retired = false
  /** The revision of the row that its proxy was last read from. */
  revision = 0
  readonly #onDemand: () => void
  readonly #links = new Set<MeteredLink>()
  #limited = true
  #cycle = 0
  #leased = 0
  #last = false
  #demand = false
  /** Bytes stand before the meter and cannot pass. */
  #waiting = false
  /** Nothing was left when last asked, other gateways hold the rest: ask again with the next full round. */
  #patient = false
  #reconfigured = false
  /** By `performance.now()`, as every `now` here; only the hours are those of the wall clock. */
  #usedAt = -Infinity
  /** Not yet handed over, of whichever cycle; each hour of a cycle once. */
  #pending: Array<HourOfTraffic> = []
  /** The part of it that the running cycle is charged. */
  #pendingBytes = 0
  #reported: TrafficReport | undefined

  constructor(proxyId: string, onDemand: () => void) {
    this.proxyId = proxyId
    this.#onDemand = onDemand
  }

  /** What the proxy's row says: it may have been given a limit, a higher one, none, or another cycle. */
  configure(row: Pick<GatewayProxy, "cycle" | "limit_bytes" | "used_bytes" | "leased_bytes">) {
    if (row.cycle !== this.#cycle) {
      this.#cycle = row.cycle
      this.#leased = 0
      this.#pendingBytes = 0
      this.#last = false
    }
    this.#limited = row.limit_bytes !== null
    if (row.limit_bytes === null || row.used_bytes + row.leased_bytes < row.limit_bytes) this.#last = false
    else if (row.used_bytes >= row.limit_bytes) this.#last = true
    this.#reconfigured = this.#reported !== undefined
    this.#patient = false
    this.#wake()
  }

  get #allowance(): number {
    return this.#limited ? this.#leased - this.#pendingBytes - this.#reportedBytes : Infinity
  }

  get #reportedBytes(): number {
    return this.#reported?.cycle === this.#cycle ? this.#reported.bytes : 0
  }

  /** No byte can pass, and waiting does not help. */
  get exhausted(): boolean {
    return this.#last && this.#allowance <= 0
  }

  attach(link: MeteredLink) {
    this.#links.add(link)
    if (this.#limited && this.#allowance <= 0) this.#ask()
  }

  detach(link: MeteredLink) {
    this.#links.delete(link)
  }

  /** Counts and answers how many of `bytes` may pass at this moment. */
  spend(bytes: number): number {
    const passed = Math.max(0, Math.min(bytes, this.#allowance))
    this.#usedAt = performance.now()
    if (passed > 0) {
      this.#count({ hour_seconds: Math.floor(Date.now() / hourMillis) * 3600, cycle: this.#cycle, bytes: passed })
      this.#pendingBytes += passed
    }
    if (this.exhausted) queueMicrotask(() => this.#wake())
    else if (!this.#limited) {
      if (this.#pendingBytes >= leaseBytes) this.#ask()
    } else if (this.#allowance <= this.#leased / 2) {
      this.#waiting ||= passed < bytes
      this.#ask()
    }
    return passed
  }

  #ask() {
    if (this.#demand || this.#last || this.#patient) return
    this.#demand = true
    this.#onDemand()
  }

  /** Whether there is something to report; `urgent` looks only at connections that wait or soon will. */
  isDue(urgent: boolean, now: number): boolean {
    if (this.#reported !== undefined) return false
    if (this.#demand) return true
    return !urgent && (this.#waiting || this.#pending.length > 0 || (this.#leased > 0 && !this.#busy(now)))
  }

  get isClean(): boolean {
    return this.#reported === undefined && this.#pending.length === 0 && this.#leased === 0
  }

  #busy(now: number): boolean {
    if (this.retired || this.#links.size === 0) return false
    return this.#demand || this.#waiting || now - this.#usedAt < idleMillis
  }

  /** Hands over everything counted so far; one report is under way at a time. */
  report(now: number): TrafficReport {
    const report = {
      proxy_id: this.proxyId,
      cycle: this.#cycle,
      hours: this.#pending,
      bytes: this.#pendingBytes,
      hold: this.#busy(now)
    }
    this.#reported = report
    this.#pending = []
    this.#pendingBytes = 0
    this.#demand = false
    // What is being given back can no longer be spent.
    if (!report.hold) this.#leased = Math.min(this.#leased, report.bytes)
    return report
  }

  /** The report is booked; what is leased may pass since it was made, and nothing after it when it is the last. */
  confirm({ cycle, last, leased_bytes }: Omit<TrafficLease, "proxy_id" | "revision">) {
    const isRunning = cycle === this.#cycle
    const isHeldElsewhere = this.#limited && this.#reported?.hold === true && leased_bytes === 0
    // In vain until the row of the other cycle is read.
    this.#patient = !this.#reconfigured && (!isRunning || isHeldElsewhere)
    this.#reported = undefined
    this.#leased = isRunning ? leased_bytes : 0
    this.#last = isRunning && last && !this.#reconfigured
    this.#reconfigured = false
    this.#wake()
    if (this.#demand) this.#onDemand()
  }

  /**
   * The database took this gateway for dead and booked its leases as used. What passed under a
   * lease is paid by that; what passed without a limit is still to be reported, unless `booked`.
   */
  forfeit(booked: boolean) {
    const report = this.#reported
    this.#reported = undefined
    this.#leased = 0
    if (this.#limited) {
      this.#pending = []
      this.#pendingBytes = 0
    } else if (report !== undefined && !booked) {
      for (const hour of report.hours) this.#count(hour)
      if (report.cycle === this.#cycle) this.#pendingBytes += report.bytes
    }
    this.#wake()
  }

  #count({ bytes, cycle, hour_seconds }: HourOfTraffic) {
    const index = this.#pending.findIndex((known) => known.hour_seconds === hour_seconds && known.cycle === cycle)
    const before = this.#pending[index]
    if (before === undefined) this.#pending.push({ hour_seconds, cycle, bytes })
    else this.#pending[index] = { hour_seconds, cycle, bytes: before.bytes + bytes }
  }

  #wake() {
    const ended = this.exhausted
    this.#waiting = false
    for (const link of this.#links)
      if (ended) link.endTraffic()
      else link.resumeTraffic()
  }
}
