import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { AccountClosureRepo, type Closure } from "./AccountClosureRepo.ts"
import { isLiveAt } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import type { Order, OrderId } from "../Order.ts"
import { ProxyEnd } from "./ProxyEnd.ts"
import { ProxyHold } from "./ProxyHold.ts"

const accounts = 20
const orders = 200
const concurrency = 8
/** Accounts that a dead process had claimed are taken up again after this. No two processes end one proxy at once (`ProxyHold`). */
const lease = { minutes: 20 }
/** An account whose orders have all been tried and have not all ended is looked at again after this time. */
const again = { minutes: 1 }

const endOne = Effect.fnUntraced(
  function* (id: OrderId) {
    const hold = yield* ProxyHold
    const live = yield* LiveProxies
    const { end } = yield* ProxyEnd
    const alone = Effect.fnUntraced(function* (order: Order) {
      if (isLiveAt(order, yield* DateTime.now)) yield* end(order, yield* live.provider(order))
    })
    yield* hold.during(id, alone)
  },
  (effect, id) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`Order ${id} of a deleted account could not be ended yet`, cause)
    )
)

const close = Effect.fnUntraced(
  function* (closure: Closure) {
    const repo = yield* AccountClosureRepo
    const ids = yield* repo.live(closure, orders)
    yield* Effect.forEach(ids, endOne, { concurrency, discard: true })
    const now = yield* DateTime.now
    const last = ids.length === orders ? ids.at(-1) : undefined
    if (last === undefined) yield* repo.settle({ ...closure, tried_to: null }, now, DateTime.add(now, again))
    else yield* repo.settle({ ...closure, tried_to: last }, now, now)
  },
  // The accounts that were claimed with it do not wait for their lease.
  (effect, { user_id }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`The deleted account ${user_id} could not be closed yet`, cause)
    )
)

/**
 * Ends the proxies of deleted accounts: they are taken back at their providers, their orders are `cancelled`, and what
 * was paid for is forfeited.
 */
export const run = Effect.gen(function* () {
  const repo = yield* AccountClosureRepo
  const now = yield* DateTime.now
  yield* Effect.forEach(yield* repo.claim(now, DateTime.add(now, lease), accounts), close, { discard: true })
})

export const layer = Job.layer("AccountClosure", Schedule.spaced("1 second"), run).pipe(
  Layer.provide([AccountClosureRepo.layer, LiveProxies.layer, ProxyEnd.layer, ProxyHold.layer])
)
