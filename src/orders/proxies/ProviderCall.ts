import { Duration, Effect } from "effect"
import type { ProviderRefused, ProviderUnavailable } from "../../provider/ProviderErrors.ts"
import { ProviderDown, ProviderSaidNo } from "./ProxyErrors.ts"

/** How long a customer waits for a provider. */
const patience = Duration.seconds(10)

/** The provider's own words are for us; the customer is told what they mean. */
const down = ({ provider, reason }: Pick<ProviderUnavailable, "provider" | "reason">) =>
  Effect.andThen(Effect.logDebug(`Provider ${provider} is down: ${reason}`), Effect.fail(new ProviderDown()))

const refused = ({ provider, reason }: ProviderRefused) =>
  Effect.andThen(
    Effect.logWarning(`Provider ${provider} refused: ${reason}`),
    Effect.fail(new ProviderSaidNo({ details: {} }))
  )

const timedOut = () => Effect.fail(new ProviderDown())

/** A question to a provider. */
export const answered = <A>(call: Effect.Effect<A, ProviderUnavailable>): Effect.Effect<A, ProviderDown> =>
  call.pipe(Effect.timeout(patience), Effect.catchTags({ ProviderUnavailable: down, TimeoutError: timedOut }))

/** A free change at a provider. */
export const agreed = <A>(
  call: Effect.Effect<A, ProviderRefused | ProviderUnavailable>
): Effect.Effect<A, ProviderSaidNo | ProviderDown> =>
  call.pipe(
    Effect.timeout(patience),
    Effect.catchTags({ ProviderRefused: refused, ProviderUnavailable: down, TimeoutError: timedOut })
  )
