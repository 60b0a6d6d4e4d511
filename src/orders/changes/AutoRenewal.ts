import { DateTime, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Job from "../../platform/Job.ts"
import * as AgreeProxyChange from "./AgreeProxyChange.ts"
import * as AnnounceRenewal from "./AnnounceRenewal.ts"
import * as PutOffRenewal from "./PutOffRenewal.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import { byService } from "../ActedBy.ts"
import type { Order } from "../Order.ts"
import { ProxyChangeId } from "./ProxyChange.ts"
import * as ChargeProxyChange from "./ChargeProxyChange.ts"
import { failureOf, notShown } from "./RenewalFailure.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

const batch = 100
const concurrency = 4
/**
 * Longer than a batch takes. After this time the job tries again each renewal that a crash or another change has
 * prevented.
 */
const lease = { minutes: 2 }

/**
 * Charges for the next period of an order, or announces its price. The lock of the order makes both happen once, and at
 * one price.
 */
const makeBuy = Effect.gen(function* () {
  const { agree } = yield* AgreeProxyChange.make
  const announce = yield* AnnounceRenewal.make
  const atomically = yield* Atomically
  const charge = yield* ChargeProxyChange.makeAgreed
  const changesRepo = yield* ProxyChangesRepo
  const putOff = yield* PutOffRenewal.make

  return Effect.fnUntraced(function* ({ id: order_id }: Order) {
    const order = Option.getOrUndefined(yield* changesRepo.lockOrder(order_id))
    if (order?.auto_renew !== true || order.proxy_status !== "expiring" || order.expires_at === null) return
    if (yield* changesRepo.isRenewed(order_id, order.expires_at)) {
      yield* Effect.logError("A paid renewal is missing at the provider; compare the order with the provider", {
        order_id
      })
      return yield* putOff(order, notShown)
    }
    const now = yield* DateTime.now
    const agreed = yield* agree(order, "renewal", now)
    if (yield* announce(agreed, now)) return
    const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
    yield* charge(agreed, { id, origin: "auto_renew", by: byService, spender: null })
  }, atomically)
})

/**
 * Buys the next period of each expiring proxy with auto-renew: charges like a request, and leaves the change to
 * `ProxyChangeRecovery`. Each period is billed once. A much higher price is announced first (docs/contract.md, "Proxy
 * changes and auto-renew").
 */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  const buy = yield* makeBuy
  const putOff = yield* PutOffRenewal.make
  const repo = yield* AutoRenewalRepo

  const renew = (order: Order) =>
    buy(order).pipe(
      // Another change may still extend the proxy; an ended proxy needs no renewal.
      Effect.catchTags({ ProxyBusy: () => Effect.void, ProxyNotLive: () => Effect.void }),
      Effect.catch((error) =>
        // The account was restricted after the claim: the renewal waits, and nobody is told.
        Effect.flatMap(
          error._tag === "PurchasesStopped" ? repo.isBlocked(order.user_id) : Effect.succeed(false),
          (waits) => (waits ? Effect.void : atomically(putOff(order, failureOf(error))))
        )
      ),
      Effect.catchCause((cause) => Effect.logError(`Cannot renew order ${order.id}; the job tries again`, cause))
    )

  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const orders = yield* repo.claim(now, DateTime.add(now, lease), batch)
    yield* Effect.forEach(orders, renew, { concurrency, discard: true })
    claimed = orders.length
  }
})

export const layer = Job.layer("AutoRenewal", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide([AutoRenewalRepo.layer, ProxyChangesRepo.layer])
)
