import { Effect } from "effect"
import { ProviderRefused, ProviderUnavailable } from "../../src/provider/ProviderErrors.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import type { OrderCommand } from "./Command.ts"

/** Runs a request while the provider in memory behaves in this way. */
export const during = <A, E, R>(mood: OrderCommand["provider"], effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(MemoryProvider, ({ provider }) => {
    if (mood === "answers") return effect
    const { extend, provision } = provider
    const error =
      mood === "refuses"
        ? new ProviderRefused({ provider: "memory", reason: "no" })
        : new ProviderUnavailable({ provider: "memory", reason: "down" })
    return Effect.acquireUseRelease(
      Effect.sync(() =>
        Object.assign(provider, { extend: () => Effect.fail(error), provision: () => Effect.fail(error) })
      ),
      () => effect,
      () => Effect.sync(() => Object.assign(provider, { extend, provision }))
    )
  })
