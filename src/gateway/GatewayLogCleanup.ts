import { DateTime, Duration, Effect, Layer, Metric, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { ConnectionLogDays } from "./GatewayConfig.ts"
import { GatewayLogCleanupRepo } from "./GatewayLogCleanupRepo.ts"
import { holdRetention } from "./HoldRetention.ts"

const batch = 10_000
/** Refusals stay visible to the owner of the proxy for this time. */
const refusalRetention = Duration.days(7)
/** Ended rules stay visible for this time. */
const ruleRetention = Duration.days(30)

const dropped = Metric.gauge("gateway_connection_log_dropped", {
  description: "Connections from shared exit addresses that gateways could not record, in the days of the log"
})

/**
 * Removes old records of the gateway: connections after `CONNECTION_LOG_DAYS`, and with a day the key of its destinations;
 * holds of exit addresses 400 days after their end; rules about destinations 30 days after theirs; refusals after 7 days.
 */
export const run = Effect.gen(function* () {
  const repo = yield* GatewayLogCleanupRepo
  const days = yield* ConnectionLogDays
  const now = yield* DateTime.now
  // With 0 days, today goes too, also what a gateway with a fast clock wrote.
  const first = days === 0 ? DateTime.add(now, { days: 2 }) : DateTime.startOf(DateTime.subtract(now, { days }), "day")
  const old = [
    repo.removeConnections(first, batch),
    repo.removeHolds(DateTime.subtractDuration(now, holdRetention), batch),
    repo.removeRefusals(DateTime.subtractDuration(now, refusalRetention), batch),
    repo.removeRules(DateTime.subtractDuration(now, ruleRetention), batch)
  ]
  for (const remove of old) yield* Effect.repeat(remove, { while: (removed) => removed === batch })
  yield* repo.removeDays(first)
  yield* Metric.update(dropped, yield* repo.dropped)
})

export const layer = Job.layer("GatewayLogCleanup", Schedule.spaced("10 minutes"), run).pipe(
  Layer.provide(GatewayLogCleanupRepo.layer)
)
