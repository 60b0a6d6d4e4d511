import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { AccountClosureRepo, type Closure } from "./AccountClosureRepo.ts"
import { banDeadline } from "./BanDeadline.ts"
import { isLiveAt } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import type { Order, OrderId } from "../Order.ts"
import { ProxyEnd } from "./ProxyEnd.ts"
import { ProxyHold } from "./ProxyHold.ts"

const accounts = 20
const orders = 200
const concurrency = 8
/** The claim of a dead process ends after this. `ProxyHold` keeps two processes from ending one proxy together. */
const lease = { minutes: 20 }
/** The pause before an account whose orders have not all ended is tried again. */
const again = { minutes: 1 }

const endOne = Effect.fnUntraced(
  function* (id: OrderId, since: DateTime.Utc) {
    const closures = yield* AccountClosureRepo
    const hold = yield* ProxyHold
    const live = yield* LiveProxies
    const { end } = yield* ProxyEnd
    const alone = Effect.fnUntraced(function* (order: Order) {
      // Somebody may lift the ban while the proxies of the account end one by one.
      if (isLiveAt(order, yield* DateTime.now) && (yield* closures.isOver(order.user_id, since)))
        yield* end(order, yield* live.provider(order))
    })
    yield* hold.during(id, alone)
  },
  (effect, id) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`Cannot end order ${id} of a closed account yet; the job tries again`, cause)
    )
)

const close = Effect.fnUntraced(
  function* (closure: Closure, since: DateTime.Utc) {
    const repo = yield* AccountClosureRepo
    const ids = yield* repo.live(closure, since, orders)
    yield* Effect.forEach(ids, (id) => endOne(id, since), { concurrency, discard: true })
    const now = yield* DateTime.now
    const last = ids.length === orders ? ids.at(-1) : undefined
    const next = last === undefined ? DateTime.add(now, again) : now
    yield* repo.settle({ ...closure, tried_to: last ?? null }, { since, now, next })
  },
  // A failure of one account must not delay the other claimed accounts until their lease ends.
  (effect, { user_id }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(`Cannot close the account ${user_id} yet; the job tries again`, cause)
    )
)

/**
 * Ends the proxies of deleted accounts, and of accounts that stay banned (`BanEnd`): releases them at their providers and
 * cancels their orders. Nothing is refunded.
 */
export const run = Effect.gen(function* () {
  const repo = yield* AccountClosureRepo
  const now = yield* DateTime.now
  const since = yield* banDeadline
  const claimed = yield* repo.claim(now, DateTime.add(now, lease), accounts)
  yield* Effect.forEach(claimed, (closure) => close(closure, since), { discard: true })
})

export const layer = Job.layer("AccountClosure", Schedule.spaced("1 second"), run).pipe(
  Layer.provide([AccountClosureRepo.layer, LiveProxies.layer, ProxyEnd.layer, ProxyHold.layer])
)
