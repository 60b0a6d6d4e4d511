/** A gateway process and the number of its last booked report. */
export interface ReportedInstance {
  readonly id: string
  readonly report: number
}

const lookMillis = 10_000
/** The time without a report after which the leases of a gateway are booked as used. */
const silenceMillis = 30_000

/**
 * Finds silent gateways: the number of their last report does not change while this process watches. The time is this
 * process's own, so the clocks of two machines are never compared.
 */
export class SilenceWatch {
  #seen = new Map<string, { readonly report: number; readonly since: number }>()
  #lookedAt = -Infinity

  isDue(now: number): boolean {
    return now >= this.#lookedAt + lookMillis
  }

  /** Records the report number of every gateway, and returns the gateways that have been silent for 30 seconds. */
  look<Instance extends ReportedInstance>(instances: ReadonlyArray<Instance>, now: number): ReadonlyArray<Instance> {
    // After a delay of this process, the other gateways may have been delayed too: give them time to report.
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

  /** Forgets all records, because a gateway without a database connection must not judge others. */
  startOver() {
    this.#seen.clear()
  }
}
