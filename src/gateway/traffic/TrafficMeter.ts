import type { GatewayProxy } from "../GatewayProxy.ts"
import { RateLimit } from "./RateLimit.ts"

/** The bytes that passed in one hour under a lease of one cycle. */
interface HourOfTraffic {
  readonly hour_seconds: number
  readonly cycle: number
  bytes: number
}

/** The report of a gateway to the database about one proxy. */
export interface TrafficReport {
  readonly proxy_id: string
  /** The cycle that `bytes` belong to. `hours` contains the bytes of every cycle. */
  readonly cycle: number
  readonly hours: ReadonlyArray<HourOfTraffic>
  readonly bytes: number
  /** False: the gateway returns the rest of its lease. */
  readonly hold: boolean
}

/** The lease that the database returns for a report. */
export interface TrafficLease {
  readonly proxy_id: string
  readonly cycle: number
  /** The revision of the proxy's row. When the meter has another revision, the gateway must read the row. */
  readonly revision: number
  /** The bytes that may pass before the next report. */
  readonly leased_bytes: number
  /** True when nothing is left beyond this lease, here and at all other gateways. */
  readonly last: boolean
}

/** A metered connection. */
export interface MeteredLink {
  /** Continues, because more traffic may pass. */
  readonly resumeTraffic: () => void
  /** Delivers the passed bytes and ends, because the traffic limit is reached. */
  readonly endTraffic: () => void
}

/**
 * The largest lease in bytes: the most that a gateway passes without asking again, and so the most that a crash may cost a
 * customer. A proxy without a limit is reported whenever this many bytes have passed.
 */
export const leaseBytes = 16 * 1024 * 1024

const hourMillis = 3_600_000
const idleMillis = 3_000

/**
 * Counts the bytes of all connections of one proxy, and passes no more than the database has leased. A proxy without a
 * limit passes everything; its bytes are only counted.
 *
 * `leased` is the lease of the last confirmed report. All bytes since that report count against it, so no more than the
 * lease passes while an answer is slow or lost.
 *
 * Only the proxy's row moves a meter to the next cycle. Until the gateway reads the row, bytes pass under a lease of the
 * ended cycle and do not count against the next one. So a cycle is never charged for the traffic of another.
 */
export class TrafficMeter {
  readonly proxyId: string
  /** True when the proxy is no longer served: the meter only reports its last bytes. */
  retired = false
  /** The revision of the proxy row that was read last. */
  revision = 0
  readonly #onDemand: () => void
  /** Undefined: the rate is unlimited. */
  #rates: Readonly<Record<"down" | "up", RateLimit>> | undefined
  readonly #links = new Set<MeteredLink>()
  #limited = true
  #cycle = 0
  #leased = 0
  #last = false
  #demand = false
  /** True when bytes wait for a lease. */
  #waiting = false
  /** True when other gateways hold the rest of the limit: the meter asks again only in the next full round. */
  #patient = false
  /** True when the row was read while a report was under way: the answer to that report may be outdated. */
  #reconfigured = false
  /** The time of the last traffic, by `performance.now()` like every `now` here. Only `hour_seconds` is wall-clock time. */
  #usedAt = -Infinity
  /** The bytes that are not reported yet: one entry for each hour and cycle. */
  #pending: Array<HourOfTraffic> = []
  /** The part of `#pending` that is charged to the running cycle. */
  #pendingBytes = 0
  #reported: TrafficReport | undefined

  constructor(proxyId: string, onDemand: () => void) {
    this.proxyId = proxyId
    this.#onDemand = onDemand
  }

  /** Applies the proxy's row: its limit and cycle may have changed. */
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

  /** Limits both directions to as many bits in a second. Null: unlimited. Open connections follow. */
  setRate(bitsPerSecond: bigint | null) {
    const { down, up } = this.#rates ?? {}
    if (bitsPerSecond === null) {
      this.#rates = undefined
      down?.end()
      up?.end()
      return
    }
    const bytes = Number(bitsPerSecond) / 8
    this.#rates ??= { down: new RateLimit(bytes), up: new RateLimit(bytes) }
    down?.set(bytes)
    up?.set(bytes)
  }

  get #allowance(): number {
    return this.#limited ? this.#leased - this.#pendingBytes - this.#reportedBytes : Infinity
  }

  get #reportedBytes(): number {
    return this.#reported?.cycle === this.#cycle ? this.#reported.bytes : 0
  }

  /** True when the limit is used up: no byte can pass, now or later. */
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

  /**
   * Returns the number of `bytes` that may pass now in one direction of a connection, and counts them as passed. The rate
   * comes first, so no byte of the lease waits for it.
   */
  pass(link: MeteredLink, direction: "down" | "up", bytes: number): number {
    const rate = this.#rates?.[direction]
    if (rate === undefined) return this.spend(bytes)
    const allowed = rate.take(bytes, link)
    const passed = allowed === 0 ? 0 : this.spend(allowed)
    rate.giveBack(allowed - passed)
    return passed
  }

  /** The same for any rate: only the lease counts. */
  spend(bytes: number): number {
    const allowance = this.#allowance
    const passed = Math.max(0, Math.min(bytes, allowance))
    this.#usedAt = performance.now()
    if (passed > 0) {
      this.#count(Math.floor(Date.now() / hourMillis) * 3600, this.#cycle, passed)
      this.#pendingBytes += passed
    }
    const left = allowance - passed
    if (this.#last && left <= 0) queueMicrotask(() => this.#wake())
    else if (!this.#limited) {
      if (this.#pendingBytes >= leaseBytes) this.#ask()
    } else if (left <= this.#leased / 2) {
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

  /** True when a report is due. `urgent`: only for connections that wait for traffic, or soon will. */
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

  /** Reports everything that is counted so far. Only one report is under way at a time. */
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
    // Bytes of a returned lease must not pass.
    if (!report.hold) this.#leased = Math.min(this.#leased, report.bytes)
    return report
  }

  /** Confirms the report and applies the lease of its answer. */
  confirm({ cycle, last, leased_bytes }: Omit<TrafficLease, "proxy_id" | "revision">) {
    const isRunning = cycle === this.#cycle
    const isHeldElsewhere = this.#limited && this.#reported?.hold === true && leased_bytes === 0
    // Until the row of the next cycle is read, asking again is useless.
    this.#patient = !this.#reconfigured && (!isRunning || isHeldElsewhere)
    this.#reported = undefined
    this.#leased = isRunning ? leased_bytes : 0
    this.#last = isRunning && last && !this.#reconfigured
    this.#reconfigured = false
    this.#wake()
    if (this.#demand) this.#onDemand()
  }

  /**
   * Drops the lease, because another gateway took this one for dead and booked the whole lease as used. Bytes under the
   * lease are not reported again. Bytes that passed without a limit are reported again, unless `booked`.
   */
  forfeit(booked: boolean) {
    const report = this.#reported
    this.#reported = undefined
    this.#leased = 0
    if (this.#limited) {
      this.#pending = []
      this.#pendingBytes = 0
    } else if (report !== undefined && !booked) {
      for (const { bytes, cycle, hour_seconds } of report.hours) this.#count(hour_seconds, cycle, bytes)
      if (report.cycle === this.#cycle) this.#pendingBytes += report.bytes
    }
    this.#wake()
  }

  /** Adds to the entry of the hour. It is the last one nearly always, so a chunk costs no memory. */
  #count(hour_seconds: number, cycle: number, bytes: number) {
    const known = this.#pending.findLast((hour) => hour.hour_seconds === hour_seconds && hour.cycle === cycle)
    if (known === undefined) this.#pending.push({ hour_seconds, cycle, bytes })
    else known.bytes += bytes
  }

  #wake() {
    const ended = this.exhausted
    this.#waiting = false
    for (const link of this.#links)
      if (ended) link.endTraffic()
      else link.resumeTraffic()
  }
}
