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
    let counts = new Map<string, CallCount & { readonly durations: Array<number> }>()
    return CallCounts.of({
      add: ({ failure, milliseconds, operation, outcome, provider }) => {
        const key = `${provider} ${operation}`
        const { durations = CallDurations.none(), ...before } = counts.get(key) ?? {}
        const step = CallDurations.stepOf(milliseconds)
        durations[step] = (durations[step] ?? 0) + 1
        counts.set(key, {
          provider,
          operation,
          calls: (before.calls ?? 0) + 1,
          refused: (before.refused ?? 0) + (outcome === "refused" ? 1 : 0),
          failed: (before.failed ?? 0) + (outcome === "failed" ? 1 : 0),
          durations,
          failure: failure?.slice(0, longestFailure) || (before.failure ?? null)
        })
      },
      take: () => {
        const taken = [...counts.values()]
        counts = new Map()
        return taken
      }
    })
  })
}
