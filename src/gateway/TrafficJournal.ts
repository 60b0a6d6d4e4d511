/**
 * Counts the bytes of metered proxies where they outlive a killed process. Optional: without it, what a killed process had
 * leased counts as used.
 */
export interface TrafficJournal {
  /** Writes that up to `total` bytes of a cycle may have passed. False: this cannot be written, so no byte may pass. */
  readonly cover: (proxyId: string, cycle: number, total: number) => boolean
}
