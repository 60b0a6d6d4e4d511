import { DateTime, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import * as Job from "../../platform/Job.ts"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import type { Order, OrderId } from "../Order.ts"
import { LiveProxies } from "./LiveProxies.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { ProxyHold } from "./ProxyHold.ts"
import { type ProxyStop, ProxyStopsRepo } from "./ProxyStopsRepo.ts"
import { ProxySync } from "./ProxySync.ts"

const batch = 200
const concurrency = 8
/** Longer than the slowest batch. `ProxyHold` keeps two processes from changing one proxy together. */
const lease = { minutes: 10 }
/** The pause after an answer that did not come. */
const soon = { minutes: 1 }
/** The pause after a refusal: only a person at the provider can change it. */
const later = { hours: 1 }

const secretLogin = () => ({
  username: `x${Hex.encode(SecureRandom.randomBytesUnsafe(8))}`,
  password: Hex.encode(SecureRandom.randomBytesUnsafe(16))
})

/** The access that a proxy gets: a secret one, or that of its order, which the customer knows. */
const accessFor = ({ is_exposed, task }: ProxyStop, { password, username, whitelisted_ips }: LiveOrder) => {
  const isSecret = task === "stop" || is_exposed || username === null || password === null
  return {
    logins: [isSecret ? secretLogin() : { username, password }],
    ...(whitelisted_ips.length > 0 && { whitelisted_ips: isSecret ? [] : whitelisted_ips })
  }
}

const put = Effect.fnUntraced(function* (
  stop: ProxyStop,
  detail: string,
  pause: Partial<DateTime.DateTime.PartsForMath>
) {
  const repo = yield* ProxyStopsRepo
  const now = yield* DateTime.now
  yield* Effect.logError(
    stop.task === "stop"
      ? "A proxy of a suspended account may still work; stop it at its provider by hand"
      : "Cannot change the login of a proxy; change it at its provider by hand",
    { order_id: stop.order_id, reason: detail }
  )
  yield* repo.failed(stop, detail, now, DateTime.add(now, pause))
})

/** Changes the access of a proxy. A repeated call ends in the same state. */
const change = Effect.fnUntraced(
  function* (stop: ProxyStop, order: LiveOrder, provider: ProxyProvider) {
    const repo = yield* ProxyStopsRepo
    const sync = yield* ProxySync
    const { setAccess } = provider
    if (setAccess === undefined) {
      const isUntouched = stop.task === "return" && stop.stopped_at === null
      return yield* isUntouched ? repo.remove(stop) : put(stop, "the provider cannot change logins", later)
    }
    const proxy = yield* ProviderCall.agreed(setAccess(order.provider_proxy_id, accessFor(stop, order)))
    // The order of a stopped proxy keeps the login that comes back.
    if (stop.task === "stop") return yield* repo.stopped(order.id, yield* DateTime.now)
    yield* sync.store(order, proxy)
    yield* repo.remove(stop)
  },
  (effect, stop) =>
    Effect.catchTags(effect, {
      ProviderSaidNo: () => put(stop, "the provider refused", later),
      ProviderDown: () => put(stop, "the provider does not answer", soon)
    })
)

const doOne = Effect.fnUntraced(
  function* (id: OrderId) {
    const hold = yield* ProxyHold
    const live = yield* LiveProxies
    const repo = yield* ProxyStopsRepo
    const alone = Effect.fnUntraced(function* (order: Order) {
      const stop = Option.getOrUndefined(yield* repo.find(id))
      if (stop === undefined) return
      if (!isLiveAt(order, yield* DateTime.now)) return yield* repo.remove(stop)
      const provider = yield* Effect.option(live.provider(order))
      if (Option.isNone(provider)) return yield* put(stop, "the provider is switched off", soon)
      yield* change(stop, order, provider.value)
    })
    yield* hold.during(id, alone)
  },
  (effect, id) =>
    effect.pipe(
      // Another operation runs, or the proxy ended in between: the lease brings the task back.
      Effect.catchTags({ ProxyBusy: () => Effect.void, ProxyNotLive: () => Effect.void }),
      Effect.catchCause((cause) =>
        Effect.logWarning(`Cannot change the login of order ${id}; the job tries again`, cause)
      )
    )
)

/**
 * Gives the proxies of suspended accounts a secret login at their vendors, and the old one back afterwards. The proxies of an
 * account that a stranger has taken over get other logins. The built-in gateway needs no login for a stop: the database
 * suspends its proxies.
 */
export const run = Effect.gen(function* () {
  const repo = yield* ProxyStopsRepo
  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const ids = yield* repo.claim(now, DateTime.add(now, lease), batch)
    yield* Effect.forEach(ids, doOne, { concurrency, discard: true })
    claimed = ids.length
  }
})

export const layer = Job.layer("ProxyStops", Schedule.spaced("1 second"), run).pipe(
  Layer.provide([LiveProxies.layer, ProxyHold.layer, ProxyStopsRepo.layer, ProxySync.layer])
)
