import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { PayoutId } from "../../../src/wallet/payouts/Payout.ts"
import { Payouts, type PayoutRequest } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import { PayoutsRepo } from "../../../src/wallet/payouts/PayoutsRepo.ts"
import type { PaymentMethod } from "../../../src/wallet/PaymentMethod.ts"
import { Returns } from "../../../src/wallet/Returns.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestCrypto from "../../support/TestCrypto.ts"
import { account, dollar, services } from "../adjustments/MoneyTesting.ts"

export const layer = Layer.mergeAll(Payouts.layer, PayoutsRepo.layer, PayoutSettlement.layer, Returns.layer).pipe(
  Layer.provideMerge(services),
  Layer.provide([RateLimit.layer, TestCrypto.layer]),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PAYOUTS: "true" })))
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

/** The tag of a failure. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Pays this much from the wallet. */
export const spend = Effect.fnUntraced(function* (user_id: UserId, amount: bigint) {
  const entry = { order_id: null, reference: randomUUID(), amount, amount_usd: amount, description: "" }
  yield* Wallets.use((wallets) => wallets.charge({ user_id, currency: "USD", spender: null, entries: [entry] }))
})

/** Pays money in with a charge of a gateway; returns the id of the charge. */
export const charge = Effect.fnUntraced(function* (user_id: UserId, amount: bigint, payment_method: PaymentMethod) {
  const sql = yield* SqlClient.SqlClient
  const charge_id = randomUUID()
  const transaction_id = yield* Fixtures.fund(user_id, amount)
  const created_at = DateTime.toDate(yield* DateTime.now)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // The charge has no payment intent.
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`INSERT INTO payment_charge ${sql.insert({
        payment_method,
        charge_id,
        payment_intent_id: randomUUID(),
        transaction_id,
        user_id,
        currency: "USD",
        amount,
        created_at
      })}`
    })
  )
  return charge_id
})

/** Holds a share of a charge for another account. */
export const share = Effect.fnUntraced(function* (referred_id: UserId, charge_id: string) {
  const sql = yield* SqlClient.SqlClient
  const referrer_id = yield* Fixtures.newUser
  yield* sql`
    INSERT INTO referral_share (payment_method, charge_id, referrer_id, referred_id, currency, amount, status, due_at,
      created_at, updated_at)
    SELECT payment_method, charge_id, ${referrer_id}, ${referred_id}, 'USD', 1, 'held', created_at, created_at, created_at
    FROM payment_charge WHERE charge_id = ${charge_id}
  `
})
