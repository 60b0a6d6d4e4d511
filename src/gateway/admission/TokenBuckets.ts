interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** The most remembered buckets. Beyond that, the least recently used bucket is forgotten, which makes it full again. */
const most = 20_000

/** Token buckets by key. Each starts with `capacity` tokens and gains `perSecond`. Times come from `performance.now()`. */
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
