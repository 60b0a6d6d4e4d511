import { type Duration, Effect } from "effect"
import type { Answer } from "./BilledCall.ts"
import type { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "./ProviderErrors.ts"
import type { ChangedProxy, ProviderProxy } from "./ProxyProvider.ts"

const late = "no answer in time"

/** Makes a billed call; a call without an answer in time has an unknown outcome. */
export const ofCall = <R>(
  call: Effect.Effect<ChangedProxy, ProviderRefused | ProviderUnavailable | ProviderOutcomeUnknown, R>,
  timeout: Duration.Duration
): Effect.Effect<Answer, never, R> =>
  call.pipe(
    Effect.map((proxy): Answer => ({ _tag: "Proxy", proxy })),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed<Answer>({ _tag: "OutcomeUnknown", reason: late })
    }),
    Effect.catchTags({
      ProviderRefused: ({ reason }) => Effect.succeed<Answer>({ _tag: "Refused", reason }),
      ProviderUnavailable: ({ reason }) => Effect.succeed<Answer>({ _tag: "Unavailable", reason }),
      ProviderOutcomeUnknown: ({ reason }) => Effect.succeed<Answer>({ _tag: "OutcomeUnknown", reason })
    })
  )

/** Looks a billed call up. */
export const ofLookUp = <R>(
  lookUp: Effect.Effect<ProviderProxy | undefined, ProviderUnavailable, R>,
  timeout: Duration.Duration
): Effect.Effect<Answer, never, R> =>
  lookUp.pipe(
    Effect.map((proxy): Answer => (proxy === undefined ? { _tag: "Missing" } : { _tag: "Proxy", proxy })),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed<Answer>({ _tag: "LookUpFailed", reason: late })
    }),
    Effect.catchTag("ProviderUnavailable", ({ reason }) => Effect.succeed<Answer>({ _tag: "LookUpFailed", reason }))
  )
