import { DateTime, Effect, Layer, Schedule } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Job from "../../platform/Job.ts"
import { ExpiryRepo } from "./ExpiryRepo.ts"
import * as ProxyNotices from "./ProxyNotices.ts"

const batch = 500

/** Repeats `work` until a batch is not full. */
const drain = <R>(work: (now: DateTime.Utc) => Effect.Effect<number, never, R>) =>
  Effect.gen(function* () {
    let found = batch
    while (found === batch) found = yield* work(yield* DateTime.now)
  })

/**
 * Moves every proxy that is due: `active` to `expiring`, with a notice to the owner, then `expiring` to `expired`. The
 * provider ends an expired proxy on its own.
 */
export const run = Effect.gen(function* () {
  const repo = yield* ExpiryRepo
  const atomically = yield* Atomically
  const notifications = yield* Notifications

  const expiring = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const orders = yield* repo.markExpiring(now, batch)
    yield* notifications.add(orders.map(ProxyNotices.expiring))
    return orders.length
  }, atomically)

  const expired = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const ids = yield* repo.lockExpired(now, batch)
    if (ids.length > 0) yield* repo.markExpired(ids, now)
    return ids.length
  }, atomically)

  yield* drain(expiring)
  yield* drain(expired)
})

export const layer = Job.layer("Expiry", Schedule.spaced("5 seconds"), run).pipe(Layer.provide(ExpiryRepo.layer))
