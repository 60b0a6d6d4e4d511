interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** The most keys whose buckets are remembered. Beyond them the one that was used longest ago is forgotten, which fills it. */
const most = 20_000

/** Tokens by key: `capacity` at first, and `perSecond` more as time passes. Times are those of `performance.now()`. */
export class TokenBuckets {
  readonly #capacity: number
  readonly #perSecond: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(capacity: number, perSecond: number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
  }

  #tokens(key: string, now: number): number {
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return this.#capacity
    return Math.min(this.#capacity, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond)
  }

  has(key: string, now: number): boolean {
    return this.#tokens(key, now) >= 1
  }

  take(key: string, now: number) {
    const tokens = Math.max(0, this.#tokens(key, now) - 1)
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens, at: now })
    if (this.#buckets.size <= most) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
