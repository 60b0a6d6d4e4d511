import { Cause, DateTime, Duration, Effect } from "effect"
import { ProviderUnavailable } from "../provider/ProviderErrors.ts"
import { Providers } from "../provider/Providers.ts"
import * as ChangeAttempt from "./ChangeAttempt.ts"
import { ProviderDown } from "./OrderErrors.ts"
import { toProvider } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

const lookUpTimeout = Duration.seconds(10)
const { callTimeout, deadline, isOlder } = ChangeAttempt

/** Looks changes with an unknown outcome up, by their own ids. */
export const make = Effect.fnUntraced(function* (attempt: Effect.Success<typeof ChangeAttempt.make>) {
  const { applied, ask, refused, unknown } = attempt
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo

  /** The provider does not know the change and never will: it is asked again unless that is too late. */
  const again = Effect.fnUntraced(function* (work: ChangeAttempt.Work) {
    const now = yield* DateTime.now
    if (isOlder(work.change.created_at, deadline, now))
      return yield* refused(work, new ProviderDown(), "the provider does not know the change")
    yield* repo.notMade(work.change.id, now)
    return yield* ask(work)
  })

  const find = Effect.fnUntraced(
    function* ({ change, order }: ChangeAttempt.Work) {
      const provider = providers.get(order.provider)
      const settling = provider?.find_settles_after ?? null
      const { provider_proxy_id } = order
      if (provider?.findChange === undefined || settling === null || provider_proxy_id === null)
        return yield* new ProviderUnavailable({ provider: order.provider, reason: "the provider cannot be asked" })
      const proxy = yield* provider.findChange(provider_proxy_id, toProvider(change))
      return { proxy, settling }
    },
    (effect, { order }) =>
      Effect.timeoutOrElse(effect, {
        duration: lookUpTimeout,
        orElse: () => new ProviderUnavailable({ provider: order.provider, reason: "no answer in time" })
      })
  )

  return Effect.fnUntraced(
    function* (work: ChangeAttempt.Work, attemptedAt: DateTime.Utc) {
      const { proxy, settling } = yield* find(work)
      if (proxy !== undefined) return yield* applied(work, proxy)
      const isCertain = isOlder(attemptedAt, Duration.sum(callTimeout, settling), yield* DateTime.now)
      return yield* isCertain ? again(work) : unknown(work, "the provider does not know the change yet")
    },
    (effect, work) =>
      effect.pipe(
        Effect.catchTag("ProviderUnavailable", ({ reason }) => unknown(work, reason)),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(`Change ${work.change.id} could not be looked up`, Cause.die(defect)),
            unknown(work, "looking the change up failed")
          )
        )
      )
  )
})
