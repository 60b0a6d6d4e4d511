/** Waiting connections continue after this time. It is short enough that nobody sees the traffic pulse. */
const tickMillis = 20

/** One chunk of a connection passes without a pause, even at a low rate. */
const smallestBurst = 64 * 1024

/** A connection that continues when more bytes may pass. */
interface Waiting {
  readonly resumeTraffic: () => void
}

/**
 * A token bucket for one direction of a proxy, which all its connections share. The ones that wait continue in turn, so each
 * gets a part. Node keeps all timers of one duration in one list, so many limits cost hardly more than one.
 */
export class RateLimit {
  #perMilli = 0
  #burst = 0
  #tokens = 0
  #filledAt = performance.now()
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  /** True while waiting connections continue: they take before the ones that arrive. */
  #waking = false

  constructor(bytesPerSecond: number) {
    this.set(bytesPerSecond)
    this.#tokens = this.#burst
  }

  /** Changes the rate, also for the connections that wait. */
  set(bytesPerSecond: number) {
    this.#fill()
    this.#perMilli = bytesPerSecond / 1_000
    this.#burst = Math.max(smallestBurst, bytesPerSecond / 4)
  }

  #fill() {
    const now = performance.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMilli)
    this.#filledAt = now
  }

  /** Returns the number of `bytes` that may pass now. When some may not, `waiting` continues later. */
  take(bytes: number, waiting: Waiting): number {
    if (this.#waiting.size > 0 && !this.#waking) {
      this.#waiting.add(waiting)
      return 0
    }
    this.#fill()
    const taken = Math.min(bytes, Math.floor(this.#tokens))
    this.#tokens -= taken
    if (taken < bytes) this.#wait(waiting)
    return taken
  }

  /** Returns bytes that were taken and did not pass. */
  giveBack(bytes: number) {
    this.#tokens += bytes
  }

  #wait(waiting: Waiting) {
    this.#waiting.add(waiting)
    this.#timer ??= setTimeout(() => this.#tick(), tickMillis).unref()
  }

  #tick() {
    this.#timer = undefined
    this.#fill()
    this.#waking = true
    // A connection that has to wait again is the last one then.
    for (let left = this.#waiting.size; left > 0 && this.#tokens >= 1; left--) this.#wakeFirst()
    this.#waking = false
    const [first] = this.#waiting
    if (first !== undefined) this.#wait(first)
  }

  #wakeFirst() {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#waiting.delete(first)
    first.resumeTraffic()
  }

  /** Ends the limit: all waiting connections continue. */
  end() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const link of waiting) link.resumeTraffic()
  }
}
