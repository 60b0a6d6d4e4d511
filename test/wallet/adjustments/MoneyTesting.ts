import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { AdjustmentId, type AdjustmentRequest } from "../../../src/wallet/adjustments/Adjustment.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import { AdjustmentsRepo } from "../../../src/wallet/adjustments/AdjustmentsRepo.ts"
import type { MoneyActor, MoneyRole } from "../../../src/wallet/adjustments/MoneyActor.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../../src/wallet/WalletTransactions.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

export const dollar = 1_000_000n

export const services = Layer.mergeAll(Adjustments.layer, AdjustmentsRepo.layer, WalletTransactions.layer).pipe(
  Layer.provideMerge(Wallets.layer),
  Layer.provideMerge(TestDatabase.layer)
)

/** Another person of a role. */
export const person = (role: MoneyRole): MoneyActor => {
  const id = randomUUID()
  return { id, name: `${role} ${id.slice(0, 4)}`, role }
}

export const newId = () => AdjustmentId.make(randomUUID())

/** A request for a goodwill credit of five dollars, with other fields. */
export const credit = (user_id: UserId, change: Partial<AdjustmentRequest> = {}): AdjustmentRequest => ({
  id: newId(),
  user_id,
  currency: "USD",
  amount: 5n * dollar,
  cause: "goodwill",
  reason_code: "slow",
  reason: "The proxy was slow for a day",
  customer_text: null,
  order_id: null,
  ...change
})

/** An account, its balance, and its entries, newest first. */
export const account = Effect.gen(function* () {
  const transactions = yield* WalletTransactions
  const wallets = yield* Wallets
  const user = yield* Fixtures.newUser
  yield* wallets.list(user)
  const entries = Effect.map(transactions.list(user, { currency: "USD" }, { limit: 100, offset: 0 }), (listed) =>
    listed.map(({ amount, description, transaction_type }) => [transaction_type, amount, description] as const)
  )
  return { user, balance: Effect.map(wallets.balance(user, "USD"), ({ balance }) => balance), entries }
})
