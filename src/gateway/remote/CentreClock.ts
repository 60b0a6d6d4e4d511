/** The proxy of a node that has heard nothing for this time may have been extended meanwhile. */
const quietMillis = 60_000
const graceMillis = 3_600_000
/** The answers whose round trip is compared. */
const samples = 10

/** The clock of the centre, by the answers with the shortest round trip. Times are in milliseconds. */
export class CentreClock {
  #samples: Array<{ readonly trip: number; readonly offset: number }> = []
  #heardAt = -Infinity
  /** The last known time: the clock of a host that boots in 1970 is not believed. */
  #least: number
  #offset = 0

  constructor(least = 0) {
    this.#least = least
  }

  /** Notes an answer with the centre's time to a call that began at `from`, by the clock of this host. */
  hear(centre: number, from: number, now = Date.now()) {
    this.#samples = [...this.#samples, { trip: now - from, offset: centre - (from + now) / 2 }].slice(-samples)
    this.#offset = this.#samples.reduce((best, one) => (one.trip < best.trip ? one : best)).offset
    this.#least = Math.max(this.#least, centre)
    this.#heardAt = performance.now()
  }

  /** Corrects the clock by a refusal, which tells the time only roughly. */
  correct(centre: number) {
    this.#samples = []
    this.#offset = centre - Date.now()
  }

  /** The centre's time minus this host's. */
  get offset(): number {
    return Math.max(this.#offset, this.#samples.length > 0 ? -Infinity : this.#least - Date.now())
  }

  get now(): number {
    return Date.now() + this.offset
  }

  get isQuiet(): boolean {
    return performance.now() - this.#heardAt > quietMillis
  }

  /** The time by this host's clock at which a proxy ends. */
  end(expiresAt: number): number {
    return expiresAt - this.offset + (this.isQuiet ? graceMillis : 0)
  }
}
