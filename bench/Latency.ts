import { Clock, Effect } from "effect"

/** In milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export const percentiles = (samples: ReadonlyArray<number>): Latency => {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Measures the duration of an effect, one run after the other. */
export const sample = Effect.fnUntraced(function* <E, R>(times: number, effect: Effect.Effect<unknown, E, R>) {
  const samples: Array<number> = []
  for (let run = 0; run < times; run += 1) {
    const start = yield* Clock.currentTimeNanos
    yield* effect
    samples.push(Number((yield* Clock.currentTimeNanos) - start) / 1e6)
  }
  return samples
})

const cell = (value: number) => value.toFixed(1).padStart(8)

export const line = (label: string, samples: ReadonlyArray<number>) => {
  const { p50, p95, p99 } = percentiles(samples)
  return `${label.padEnd(88)}${cell(p50)}${cell(p95)}${cell(p99)}`
}

export const heading = `${"ms".padEnd(88)}${["p50", "p95", "p99"].map((name) => name.padStart(8)).join("")}`
