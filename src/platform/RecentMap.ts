/** A map of at most `atMost` entries. A further entry replaces the one that was set longest ago. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly atMost: number

  constructor(atMost: number) {
    super()
    this.atMost = atMost
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= this.atMost) break
      this.delete(oldest)
    }
    return this
  }
}
