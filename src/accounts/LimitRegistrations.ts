import { Config, Duration, Effect } from "effect"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import * as Setting from "../platform/settings/IntegerSetting.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import { networksOf } from "../platform/requests/SourceNetworks.ts"

/**
 * Limits registrations of one kind to `perHour` from one client address. Limits registrations of people and agents
 * together to 100 per hour from one network (IPv4 /24 or IPv6 /48), because one party may hold it, and to 60 per minute
 * and 600 per hour from all addresses, because an attacker may use many. `AUTH_RATE_LIMIT_FACTOR` multiplies each
 * limit. A failed registration, such as one with a taken email, does not count towards the limits of all addresses.
 */
export const make = Effect.fnUntraced(function* (kind: string, perHour: number) {
  const rateLimit = yield* RateLimit
  const client = yield* ClientAddress
  const factor = yield* Setting.integer("AUTH_RATE_LIMIT_FACTOR", 1, 1_000_000).pipe(Config.withDefault(1))
  const hour = Duration.hours(1)
  const here = { name: `${kind}-address`, limit: perHour * factor, window: hour }
  const around = { name: "register-network", limit: 100 * factor, window: hour }
  const overall = [
    { name: "register-minute", limit: 60 * factor, window: Duration.minutes(1) },
    { name: "register-hour", limit: 600 * factor, window: hour }
  ]
  const giveBackOverall = Effect.forEach(overall, (rule) => rateLimit.giveBack(rule, "all"), { discard: true })

  return Effect.fn("LimitRegistrations")(function* <A, E, R>(attempt: Effect.Effect<A, E, R>) {
    yield* rateLimit.enforce(here, yield* client.limited)
    yield* rateLimit.enforce(around, networksOf(yield* client.current).network)
    yield* Effect.forEach(overall, (rule) => rateLimit.enforce(rule, "all"), { discard: true })
    return yield* Effect.tapError(attempt, () => giveBackOverall)
  })
})
