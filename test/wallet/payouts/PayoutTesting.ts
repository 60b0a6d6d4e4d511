import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { PayoutId } from "../../../src/wallet/payouts/Payout.ts"
import { Payouts, type PayoutRequest } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import { PayoutsRepo } from "../../../src/wallet/payouts/PayoutsRepo.ts"
import { Returns } from "../../../src/wallet/Returns.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestCrypto from "../../support/TestCrypto.ts"
import { account, dollar, services } from "../adjustments/MoneyTesting.ts"

export const layer = Layer.mergeAll(Payouts.layer, PayoutsRepo.layer, PayoutSettlement.layer, Returns.layer).pipe(
  Layer.provideMerge(services),
  Layer.provide([RateLimit.layer, TestCrypto.layer])
)

export const verify = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
})

/** A customer with a verified email who has paid 100 dollars in. */
export const customer = Effect.gen(function* () {
  const made = yield* account
  yield* verify(made.user)
  yield* Fixtures.fund(made.user, 100n * dollar)
  return made
})

export const newPayoutId = () => PayoutId.make(randomUUID())

/** A request for 40 dollars, with other fields. */
export const asked = (user_id: UserId, change: Partial<PayoutRequest> = {}): PayoutRequest => ({
  id: newPayoutId(),
  user_id,
  amount: 40n * dollar,
  destination: "IBAN DE02 1203 0000 0000 2020 51, Ada Lovelace",
  password: undefined,
  otp: undefined,
  ...change
})

/** Stops an account, as a restriction does. */
export const stop = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE wallet SET spending_blocked = true WHERE user_id = ${user}`
})

/** The notices of an account, the newest last. */
export const noticesOf = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ message: string }>`
    SELECT message FROM notification WHERE user_id = ${user} AND kind = 'payout' ORDER BY created_at, id`
  return rows.map(({ message }) => message)
})
