import { Context, Layer } from "effect"
import * as CallDurations from "./CallDurations.ts"

/** A call of a provider that has ended. */
export interface MadeCall {
  readonly provider: string
  /** A member of `ProxyProvider`, such as `provision`. */
  readonly operation: string
  readonly milliseconds: number
  /** `refused`: the provider refused for good. `failed`: no answer, or an error. */
  readonly outcome: "done" | "refused" | "failed"
  /** Why it failed; contains no secret. */
  readonly failure?: string | undefined
}

/** The calls of one operation of a provider. */
export interface CallCount {
  readonly provider: string
  readonly operation: string
  readonly calls: number
  readonly refused: number
  readonly failed: number
  /** The number of calls by duration (`CallDurations`). */
  readonly durations: ReadonlyArray<number>
  /** The reason of the last failure. */
  readonly failure: string | null
}

interface Counting extends CallCount {
  calls: number
  refused: number
  failed: number
  failure: string | null
  readonly durations: Array<number>
}

const emptyOf = (provider: string, operation: string): Counting => ({
  provider,
  operation,
  calls: 0,
  refused: 0,
  failed: 0,
  failure: null,
  durations: CallDurations.none()
})

const longestFailure = 300

/** Vendors write what they like, and the database takes no NUL and no half of a character. */
const cleaned = (failure: string) => failure.replaceAll("\0", "").slice(0, longestFailure).toWellFormed()

/** Counts the calls of providers in memory, until they are taken. */
export class CallCounts extends Context.Service<
  CallCounts,
  {
    readonly add: (call: MadeCall) => void
    /** Returns the calls since they were last taken. */
    readonly take: () => ReadonlyArray<CallCount>
    /** Counts calls again that were taken and could not be stored. */
    readonly putBack: (taken: ReadonlyArray<CallCount>) => void
  }
>()("app/provider/CallCounts") {
  static readonly layer = Layer.sync(CallCounts, () => {
    let counts = new Map<string, Counting>()
    const countOf = (provider: string, operation: string) => {
      const key = `${provider} ${operation}`
      const count = counts.get(key) ?? emptyOf(provider, operation)
      counts.set(key, count)
      return count
    }
    return CallCounts.of({
      add: ({ failure, milliseconds, operation, outcome, provider }) => {
        const count = countOf(provider, operation)
        const step = CallDurations.stepOf(milliseconds)
        count.durations[step] = (count.durations[step] ?? 0) + 1
        count.calls += 1
        if (outcome === "refused") count.refused += 1
        if (outcome === "failed") count.failed += 1
        if (failure !== undefined) count.failure = cleaned(failure) || count.failure
      },
      take: () => {
        const taken = [...counts.values()]
        counts = new Map()
        return taken
      },
      putBack: (taken) => {
        for (const { calls, durations, failed, failure, operation, provider, refused } of taken) {
          const count = countOf(provider, operation)
          count.calls += calls
          count.failed += failed
          count.refused += refused
          count.failure ??= failure
          durations.forEach((number, step) => (count.durations[step] = (count.durations[step] ?? 0) + number))
        }
      }
    })
  })
}
