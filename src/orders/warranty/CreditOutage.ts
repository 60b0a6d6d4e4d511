import { DateTime, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Providers } from "../../provider/Providers.ts"
import { descriptions } from "../../wallet/EntryDescription.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { newTransactionId } from "../../wallet/WalletTransaction.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"
import type { EndedOutage } from "./Outage.ts"
import { OutagesRepo } from "./OutagesRepo.ts"
import { warrantyCredit } from "./WarrantyCredit.ts"

/**
 * Makes the function that decides about the credit of the oldest outage that is over, and books it, in one transaction. It returns
 * false when there is none.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const notifications = yield* Notifications
  const providers = yield* Providers
  const repo = yield* OutagesRepo
  const wallets = yield* Wallets

  const book = Effect.fnUntraced(function* (outage: EndedOutage) {
    const { currency, ended_at, ends_at, from_at, order_id, paid, payment_id, starts_at, to_at, user_id } = outage
    if (payment_id === null || currency === null || paid === null || starts_at === null || ends_at === null) return
    const order = yield* repo.lockOrder(order_id)
    // Tries with the customer's own login fail when the customer uses up the limits of the proxy.
    if (providers.get(order.provider)?.probe === undefined) return
    yield* wallets.lock(user_id)
    const returned = yield* repo.returned(payment_id)
    const credit = warrantyCredit({ from_at, to_at, starts_at, ends_at, ended_at, paid, returned })
    if (credit === undefined) return
    const id = SecureRandom.uuidV7Unsafe()
    const transaction_id = yield* newTransactionId
    const created_at = DateTime.toDate(yield* DateTime.now)
    const payment = { payment_id, currency, paid }
    yield* repo.insertClaim({
      id,
      outage_id: outage.id,
      order_id,
      user_id,
      ...payment,
      ...credit,
      transaction_id,
      created_at
    })
    yield* wallets.credit({
      id: transaction_id,
      user_id,
      currency,
      amount: credit.amount,
      payment_method: "wallet",
      external_id: null,
      reference: `warranty:${id}`,
      description: descriptions.warranty,
      // A payment with sandbox money in it makes no real money.
      is_sandbox: (outage.sandbox ?? 0n) > 0n,
      cause: "warranty"
    })
    const minutes = Number(credit.down_seconds / 60n)
    yield* notifications.add([ProxyNotices.credited(order, { currency, total: credit.amount, minutes })])
  })

  return Effect.fn("CreditOutage")(
    function* () {
      const outage = Option.getOrUndefined(yield* repo.lockEnded)
      if (outage === undefined) return false
      if (!outage.is_deleted) yield* book(outage)
      yield* repo.settle(outage.id)
      return true
    },
    atomically,
    Effect.uninterruptible
  )
})
