/** A gateway process and the number of its last booked report. */
export interface ReportedInstance {
  readonly id: string
  readonly report: number
}

const lookMillis = 10_000
/** How long a gateway's report number must have stood still before its leases are booked as used. */
const silenceMillis = 30_000

/**
 * Judges which gateways are silent: those whose report number stands still while this one watches.
 * Time is this process's own, so the clocks of two machines are never compared.
 */
export class SilenceWatch {
  #seen = new Map<string, { readonly report: number; readonly since: number }>()
  #lookedAt = -Infinity

  isDue(now: number): boolean {
    return now >= this.#lookedAt + lookMillis
  }

  /** Notes how far every gateway is, and answers those that have not moved for long. */
  look(instances: ReadonlyArray<ReportedInstance>, now: number): ReadonlyArray<ReportedInstance> {
    // Who was held up may have been so together with the others: let them speak first.
    if (now > this.#lookedAt + 2 * lookMillis) this.startOver()
    this.#lookedAt = now
    this.#seen = new Map(
      instances.map(({ id, report }) => {
        const before = this.#seen.get(id)
        return [id, before?.report === report ? before : { report, since: now }]
      })
    )
    return instances.filter(({ id }) => now - (this.#seen.get(id)?.since ?? now) >= silenceMillis)
  }

  /** Only a gateway in touch with the database may judge another one silent. */
  startOver() {
    this.#seen.clear()
  }
}
