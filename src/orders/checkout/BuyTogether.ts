import { Array as Arr, Effect, Option } from "effect"
import { Idempotency, type KeyedRequest } from "../../idempotency/Idempotency.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { IfLocked } from "../../platform/postgres/IfLocked.ts"
import * as RunInBatches from "../../platform/postgres/RunInBatches.ts"
import { type Charge, Wallets } from "../../wallet/Wallets.ts"
import type { PlacedOrder } from "../Order.ts"
import { type AgreedOffer, OrdersRepo, type PurchaseOutcome } from "../OrdersRepo.ts"

/** A purchase that only the balance decides, and its new orders. */
interface PlainPurchase {
  readonly keyed: KeyedRequest | undefined
  readonly charge: Charge
  readonly agreed: AgreedOffer
  readonly orders: Arr.NonEmptyReadonlyArray<PlacedOrder>
}

/** A larger purchase has a statement of its own, so that others do not wait for it. */
const ordersTogether = 10

/**
 * Makes plain purchases in one statement, which also finds the claims of earlier requests. Concurrent purchases of different
 * accounts share a statement, because its cost depends little on their number. A purchase runs alone when its wallet is
 * locked, or when its account has another purchase in the statement.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const idempotency = yield* Idempotency
  const repo = yield* OrdersRepo
  const wallets = yield* Wallets

  const buy = Effect.fnUntraced(function* (purchases: Arr.NonEmptyReadonlyArray<PlainPurchase>, ifLocked: IfLocked) {
    const charging = yield* wallets.charging(Arr.map(purchases, ({ charge }) => charge))
    const claiming = yield* idempotency.claiming(purchases.flatMap(({ keyed }) => keyed ?? []))
    const orders = Arr.flatMap(purchases, ({ orders }) => orders)
    const agreed = Arr.map(purchases, ({ agreed }) => agreed)
    const outcomes = yield* repo.purchase(orders, agreed, charging, claiming, ifLocked)
    return ({ charge }: PlainPurchase) => outcomes.get(charge.user_id)
  })

  /** Finds a purchase that was committed although its statement failed here. */
  const found = ({ orders: [{ id }] }: PlainPurchase) =>
    Effect.map(repo.find(id), (order) =>
      Option.isSome(order) ? ({ _tag: "Bought" } satisfies PurchaseOutcome) : undefined
    )

  const buyTogether = yield* RunInBatches.make({
    run: Effect.fnUntraced(function* (purchases: Arr.NonEmptyReadonlyArray<PlainPurchase>) {
      const firsts = Arr.dedupeWith(purchases, (a, b) => a.charge.user_id === b.charge.user_id)
      const outcomeOf = yield* buy(firsts, "skip")
      return purchases.map((purchase) => (firsts.includes(purchase) ? outcomeOf(purchase) : undefined))
    }),
    // The statement may have been committed before it failed here.
    runAgain: found,
    itemsAtMost: 32,
    concurrency: 2
  })

  /** The statement begins when the wallet is locked, so that it sees a price or a pause that came during the wait. */
  const buyLocked = (purchase: PlainPurchase) =>
    atomically(Effect.andThen(wallets.lock(purchase.charge.user_id), buy([purchase], "wait")))

  /** It may meet itself: an earlier statement of the purchase may still be committing when its connection ends. */
  const buyAlone = (purchase: PlainPurchase) =>
    Effect.catchCause(
      Effect.map(buyLocked(purchase), (outcomeOf) => outcomeOf(purchase)),
      (cause) =>
        Effect.flatMap(found(purchase), (bought) => (bought ? Effect.succeed(bought) : Effect.failCause(cause)))
    )

  return Effect.fnUntraced(function* (purchase: PlainPurchase) {
    const outcome = purchase.orders.length > ordersTogether ? undefined : yield* buyTogether(purchase)
    return outcome === undefined || outcome._tag === "Unpaid" ? yield* buyAlone(purchase) : outcome
  })
})
