import { DateTime, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Job from "../../platform/Job.ts"
import * as AutoRenewalFailure from "./AutoRenewalFailure.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { Order } from "../Order.ts"
import { ProxyChangeId } from "./ProxyChange.ts"
import type { ChargeError } from "./ProxyChangeCharge.ts"
import { ProxyChanges } from "./ProxyChanges.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

const batch = 100
const concurrency = 4
/** Longer than a batch takes. What a crash, or a change under way, has kept from being renewed is taken up again then. */
const lease = { minutes: 2 }

const reasonOf = (error: Exclude<ChargeError, { readonly _tag: "ProxyBusy" | "ProxyNotLive" }>): string => {
  if (error._tag === "InsufficientBalance")
    return `your wallet holds ${error.details.balance} ${error.details.currency} of the ${error.details.required} it costs`
  if (error._tag === "PurchasesStopped") return "a payment of your account was refunded or disputed"
  if (error._tag === "OfferWithdrawn" || error._tag === "NotSold") return "this is not sold any more"
  return "its provider does not renew it right now"
}

/**
 * Buys the next period of each expiring proxy that renews itself: charged like a request, made by the settlement of
 * changes. A period is billed once.
 */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  const changes = yield* ProxyChanges
  const changesRepo = yield* ProxyChangesRepo
  const putOff = yield* AutoRenewalFailure.make
  const repo = yield* AutoRenewalRepo

  const buy = Effect.fnUntraced(function* ({ id: order_id }: Order) {
    const order = Option.getOrUndefined(yield* changesRepo.lockOrder(order_id))
    if (order?.auto_renew !== true || order.proxy_status !== "expiring" || order.expires_at === null) return
    if (yield* changesRepo.isRenewed(order_id, order.expires_at)) {
      yield* Effect.logError("A renewal that was paid for is missing at the provider", { order_id })
      return yield* putOff(order, "its provider does not show the renewal that you paid for; please contact support")
    }
    const id = ProxyChangeId.make(SecureRandom.uuidV7Unsafe())
    yield* changes.charge({ id, order_id, wanted: "renewal", api_key: null })
  }, atomically)

  const renew = (order: Order) =>
    buy(order).pipe(
      // A change under way may yet give the proxy time; a proxy that has ended needs none.
      Effect.catchTags({ ProxyBusy: () => Effect.void, ProxyNotLive: () => Effect.void }),
      Effect.catch((error) => atomically(putOff(order, reasonOf(error)))),
      Effect.catchCause((cause) => Effect.logError(`Order ${order.id} could not be renewed`, cause))
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
