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

/** Counts the calls of providers in memory, until they are taken. */
export class CallCounts extends Context.Service<
  CallCounts,
  {
    readonly add: (call: MadeCall) => void
    /** Returns the calls since they were last taken. */
    readonly take: () => ReadonlyArray<CallCount>
  }
>()("app/provider/CallCounts") {
  static readonly layer = Layer.sync(CallCounts, () => {
    let counts = new Map<string, Counting>()
    return CallCounts.of({
      add: ({ failure, milliseconds, operation, outcome, provider }) => {
        const key = `${provider} ${operation}`
        const count = counts.get(key) ?? emptyOf(provider, operation)
        counts.set(key, count)
        const step = CallDurations.stepOf(milliseconds)
        count.durations[step] = (count.durations[step] ?? 0) + 1
        count.calls += 1
        if (outcome === "refused") count.refused += 1
        if (outcome === "failed") count.failed += 1
        if (failure !== undefined && failure !== "") count.failure = failure.slice(0, longestFailure)
      },
      take: () => {
        const taken = [...counts.values()]
        counts = new Map()
        return taken
      }
    })
  })
}
