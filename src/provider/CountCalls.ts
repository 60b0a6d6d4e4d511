import { Cause, Clock, Effect, Exit, Predicate } from "effect"
import type { CallCounts, MadeCall } from "./CallCounts.ts"
import type { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "./ProviderErrors.ts"
import type { ProxyProvider } from "./ProxyProvider.ts"

type Failure = ProviderOutcomeUnknown | ProviderRefused | ProviderUnavailable

const outcomeOf = (exit: Exit.Exit<unknown, Failure>): Pick<MadeCall, "outcome" | "failure"> => {
  if (Exit.isSuccess(exit)) return { outcome: "done" }
  const failure = Cause.findErrorOption(exit.cause)
  if (failure._tag === "Some")
    return Predicate.isTagged(failure.value, "ProviderRefused")
      ? { outcome: "refused" }
      : { outcome: "failed", failure: failure.value.reason }
  return {
    outcome: "failed",
    failure: Cause.hasInterrupts(exit.cause) ? "no answer in time" : "the adapter failed; see the log"
  }
}

/** Makes the same provider, whose calls are counted. Counts of the stock are left out: they are made every second. */
export const countCalls = (provider: ProxyProvider, counts: CallCounts["Service"]): ProxyProvider => {
  const { addTraffic, balance, endedEarly, extend, findChange, release, replacement, rotate, setAccess } = provider
  const { destinations, probe, refusals, setProtocol, setSignature, traffic } = provider

  const counted = <A, E extends Failure>(operation: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.currentTimeMillis, (began) =>
      Effect.onExit(call, (exit) =>
        Effect.map(Clock.currentTimeMillis, (ended) =>
          counts.add({ provider: provider.name, operation, milliseconds: ended - began, ...outcomeOf(exit) })
        )
      )
    )
  const each =
    <Parts extends ReadonlyArray<unknown>, A, E extends Failure>(
      operation: string,
      call: (...parts: Parts) => Effect.Effect<A, E>
    ) =>
    (...parts: Parts) =>
      counted(operation, call(...parts))

  return {
    ...provider,
    offers: counted("offers", provider.offers),
    provision: each("provision", provider.provision),
    find: each("find", provider.find),
    get: each("get", provider.get),
    ...(balance && { balance: counted("balance", balance) }),
    ...(endedEarly && { endedEarly: counted("endedEarly", endedEarly) }),
    ...(extend && { extend: each("extend", extend) }),
    ...(addTraffic && { addTraffic: each("addTraffic", addTraffic) }),
    ...(findChange && { findChange: each("findChange", findChange) }),
    ...(replacement && {
      replacement: { spare: each("spare", replacement.spare), make: each("replace", replacement.make) }
    }),
    ...(probe && { probe: each("probe", probe) }),
    ...(destinations && {
      destinations: { read: each("destinations", destinations.read), set: each("setDestinations", destinations.set) }
    }),
    ...(refusals && { refusals: each("refusals", refusals) }),
    ...(setAccess && { setAccess: each("setAccess", setAccess) }),
    ...(setProtocol && { setProtocol: each("setProtocol", setProtocol) }),
    ...(rotate && { rotate: each("rotate", rotate) }),
    ...(setSignature && { setSignature: each("setSignature", setSignature) }),
    ...(release && { release: each("release", release) }),
    ...(traffic && { traffic: each("traffic", traffic) })
  }
}
