import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Providers } from "../../provider/Providers.ts"
import type { OrderId } from "../Order.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyHold } from "./ProxyHold.ts"
import { ProxySync, soon } from "./ProxySync.ts"

const batch = 200
const concurrency = 8
/** Longer than the slowest batch: each call waits for another operation on its proxy, and then times out. */
const lease = { minutes: 10 }

/** Syncs one proxy. Returns false when the provider does not answer. */
const syncOne = Effect.fnUntraced(
  function* (id: OrderId) {
    const hold = yield* ProxyHold
    const sync = yield* ProxySync
    yield* hold.during(id, (order, isStopped) => (isStopped ? Effect.void : sync.sync(order)))
    return true
  },
  (effect, id) =>
    effect.pipe(
      Effect.catchTags({ ProxyBusy: () => Effect.succeed(true), ProxyNotLive: () => Effect.succeed(true) }),
      Effect.catchTag("ProviderDown", () =>
        Effect.gen(function* () {
          const repo = yield* ProxiesRepo
          yield* repo.syncAt(id, DateTime.add(yield* DateTime.now, soon))
          return false
        })
      ),
      Effect.catchCause((cause) => Effect.as(Effect.logError(`Cannot sync the proxy of order ${id}`, cause), false))
    )
)

/** Makes the sync of proxies due when their provider reports that they ended early. */
const hasten = Effect.fnUntraced(
  function* (provider: string) {
    const ended = yield* (yield* Providers).get(provider)?.endedEarly ?? Effect.succeed([])
    if (ended.length > 0) yield* (yield* ProxiesRepo).hasten(provider, ended, yield* DateTime.now)
  },
  (effect) => Effect.ignore(effect)
)

/** Syncs the due proxies of a provider, batch by batch. Stops after a batch with missing answers. */
const round = Effect.fn("ProxySyncRounds.round")(function* (provider: string) {
  const repo = yield* ProxiesRepo
  yield* hasten(provider)
  let more = true
  while (more) {
    const now = yield* DateTime.now
    const ids = yield* repo.claim(provider, now, DateTime.add(now, lease), batch)
    const answered = yield* Effect.forEach(ids, syncOne, { concurrency })
    const missing = answered.filter((answer) => !answer).length
    if (missing > 0)
      yield* Effect.logWarning(
        `Provider ${provider} did not answer for ${missing} of ${ids.length} proxies; the next rounds ask again`
      )
    more = ids.length === batch && missing === 0
  }
})

const names = Effect.map(Providers, ({ all }) => all.map(({ name }) => name))

/** Syncs every live proxy that is due. */
export const run = Effect.flatMap(names, (names) =>
  Effect.forEach(names, round, { concurrency: "unbounded", discard: true })
)

export const layer = Job.perName("ProxySync", Schedule.spaced("1 minute"), names, round).pipe(
  Layer.provide([ProxiesRepo.layer, ProxyHold.layer, ProxySync.layer])
)
