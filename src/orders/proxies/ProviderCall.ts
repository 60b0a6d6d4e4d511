import { Duration, Effect } from "effect"
import type { ProviderRefused, ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import { ProviderDown, ProviderSaidNo } from "./ProxyErrors.ts"

/** The time that a customer waits for a provider. */
const patience = Duration.seconds(10)

/** The log gets the provider's own words; the customer gets their meaning. */
const down = ({ provider, reason }: Pick<ProviderUnavailable, "provider" | "reason">) =>
  Effect.andThen(Effect.logDebug(`Provider ${provider} does not answer: ${reason}`), Effect.fail(new ProviderDown()))

const refused = ({ provider, reason }: ProviderRefused) =>
  Effect.andThen(
    Effect.logWarning(`Provider ${provider} refused a free change: ${reason}`),
    Effect.fail(new ProviderSaidNo({ details: {} }))
  )

const timedOut = () => Effect.fail(new ProviderDown())

/** Asks a provider. Fails with `ProviderDown` when it does not answer in time. */
export const answered = <A>(
  call: Effect.Effect<A, ProviderUnavailable>,
  within: Duration.Input = patience
): Effect.Effect<A, ProviderDown> =>
  call.pipe(Effect.timeout(within), Effect.catchTags({ ProviderUnavailable: down, TimeoutError: timedOut }))

/** Asks a provider for a free change. */
export const agreed = <A>(
  call: Effect.Effect<A, ProviderRefused | ProviderUnavailable>
): Effect.Effect<A, ProviderSaidNo | ProviderDown> =>
  call.pipe(
    Effect.timeout(patience),
    Effect.catchTags({ ProviderRefused: refused, ProviderUnavailable: down, TimeoutError: timedOut })
  )
