import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { account, credit, dollar, person } from "../adjustments/MoneyTesting.ts"
import { messageOf } from "../DatabaseRefusal.ts"
import * as PayoutTesting from "./PayoutTesting.ts"

const { asked, charge, customer, newPayoutId, noticesOf, share, spend, stop, tagOf, verify } = PayoutTesting

layer(PayoutTesting.layer)("A request for money of the wallet", (it) => {
  it.effect("takes the money at once, and once, however often its form is sent", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { balance, entries, user } = yield* customer
      const request = asked(user)
      const all = yield* Effect.all(
        Arr.makeBy(8, () => payouts.request(request)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set(["requested"]))
      assert.strictEqual(yield* balance, 60n * dollar)
      assert.deepStrictEqual((yield* entries)[0], ["withdrawal", -40n * dollar, "Withdrawal"])
      assert.lengthOf(yield* entries, 2)
      const notices = yield* noticesOf(user)
      assert.lengthOf(notices, 1)
      assert.match(notices[0] ?? "", /You asked for \$40\.00 of your wallet to: IBAN DE02/)
    })
  )

  it.effect("is one at a time, also for two forms at the same moment", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { balance, user } = yield* customer
      const made = yield* Effect.forEach(
        Arr.range(1, 6),
        () => Effect.exit(payouts.request(asked(user, { amount: 10n * dollar }))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(made.filter(Exit.isSuccess), 1)
      assert.strictEqual(yield* tagOf(payouts.request(asked(user))), "PayoutOpen")
      assert.strictEqual(yield* balance, 90n * dollar)
    })
  )

  it.effect("takes no credit that came after the paid money was spent", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { user } = yield* customer
      yield* spend(user, 100n * dollar)
      yield* Adjustments.use((adjustments) =>
        adjustments.create(person("owner"), credit(user, { amount: 50n * dollar }))
      )
      assert.strictEqual((yield* payouts.offer(user)).cash, 0n)
      yield* Fixtures.fund(user, 30n * dollar)
      yield* spend(user, 45n * dollar)
      assert.strictEqual((yield* payouts.offer(user)).cash, 30n * dollar)
      yield* spend(user, 15n * dollar)
      assert.strictEqual((yield* payouts.offer(user)).cash, 20n * dollar)
    })
  )

  it.effect("leaves what a card paid a short time ago, and payments of which a referrer has a share", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { user } = yield* customer
      yield* charge(user, 30n * dollar, "card_gateway")
      const coins = yield* charge(user, 20n * dollar, "crypto_gateway")
      assert.strictEqual((yield* payouts.offer(user)).cash, 120n * dollar)
      const sql = yield* SqlClient.SqlClient
      yield* share(user, coins)
      assert.strictEqual((yield* payouts.offer(user)).cash, 100n * dollar)
      yield* sql`UPDATE referral_share SET status = 'refused', reason = 'unverified' WHERE charge_id = ${coins}`
      assert.strictEqual((yield* payouts.offer(user)).cash, 120n * dollar)
      yield* TestClock.adjust("121 days")
      assert.strictEqual((yield* payouts.offer(user)).cash, 150n * dollar)
    })
  )

  it.effect("answers the same form once more only while its request stands", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { balance, user } = yield* customer
      const request = asked(user)
      yield* payouts.request(request)
      for (const change of [{ amount: 20n * dollar }, { destination: "IBAN DE99, another one" }])
        assert.strictEqual(yield* tagOf(payouts.request({ ...request, ...change })), "PayoutFormUsed")
      const other = yield* customer
      assert.strictEqual(yield* tagOf(payouts.request({ ...request, user_id: other.user })), "PayoutFormUsed")
      yield* payouts.cancel(user, request.id)
      assert.strictEqual(yield* tagOf(payouts.request(request)), "PayoutFormUsed")
      assert.deepStrictEqual([yield* balance, yield* other.balance], [100n * dollar, 100n * dollar])
    })
  )

  it.effect("takes paid money only, and no credits", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const { balance, user } = yield* customer
      yield* Adjustments.use((adjustments) => adjustments.create(person("support"), credit(user)))
      assert.strictEqual((yield* payouts.offer(user)).cash, 100n * dollar)
      const refused = yield* Effect.flip(payouts.request(asked(user, { amount: 100n * dollar + 10_000n })))
      assert.deepInclude(refused, { _tag: "PayoutAboveCash" })
      assert.strictEqual(yield* balance, 105n * dollar)
      yield* payouts.request(asked(user, { amount: 100n * dollar }))
      assert.strictEqual(yield* balance, 5n * dollar)
    })
  )

  it.effect(
    "is refused below the least amount, for parts of a cent, without a verified email, and while the account is stopped",
    () =>
      Effect.gen(function* () {
        const payouts = yield* Payouts
        const { balance, user } = yield* customer
        assert.strictEqual(yield* tagOf(payouts.request(asked(user, { amount: 9_990_000n }))), "PayoutTooSmall")
        assert.strictEqual(yield* tagOf(payouts.request(asked(user, { amount: 10n * dollar + 1n }))), "PayoutTooSmall")
        yield* stop(user)
        assert.strictEqual(yield* tagOf(payouts.request(asked(user))), "PurchasesStopped")
        assert.strictEqual(yield* balance, 100n * dollar)
        const other = yield* account
        yield* Fixtures.fund(other.user, 100n * dollar)
        assert.strictEqual(yield* tagOf(payouts.request(asked(other.user))), "EmailNotVerified")
      })
  )

  it.effect("is listed oldest first while it waits, page by page, and newest first otherwise", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      yield* TestClock.adjust("1 day")
      const made = yield* Effect.forEach([1, 2, 3], () =>
        Effect.gen(function* () {
          const { user } = yield* customer
          yield* TestClock.adjust("1 minute")
          return (yield* payouts.request(asked(user))).id
        })
      )
      const [first, second, third] = [made[0]!, made[1]!, made[2]!]
      yield* settlement.approve(person("owner"), first)
      const idsOf = (filter: Parameters<typeof settlement.list>[0], limit: number) =>
        Effect.map(settlement.list(filter, limit), (all) => all.map(({ id }) => id).filter((id) => made.includes(id)))
      assert.deepStrictEqual(yield* idsOf({ is_open: true }, 99), made)
      assert.deepStrictEqual(yield* idsOf({ is_open: true, after: first }, 1), [second])
      assert.deepStrictEqual(yield* idsOf({ status: "requested", after: second }, 99), [third])
      assert.deepStrictEqual(yield* idsOf({}, 99), made.toReversed())
      assert.deepStrictEqual(yield* idsOf({ after: second }, 99), [first])
    })
  )

  it.effect("waits for 7 days after a change of the password or the email, in the database too", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("30 days")
      for (const column of ["email", "password_hash"]) {
        const { balance, user } = yield* customer
        const value = column === "email" ? `${newPayoutId()}@example.com` : "$argon2id$other"
        const change = { [column]: value, updated_at: DateTime.toDate(yield* DateTime.now) }
        const { id } = yield* payouts.request(asked(user, { amount: 10n * dollar }))
        yield* payouts.cancel(user, id)
        yield* sql`UPDATE user_account SET ${sql.update(change)} WHERE id = ${user}`
        if (column === "password_hash") yield* sql`UPDATE user_account SET password_hash = NULL WHERE id = ${user}`
        assert.strictEqual(yield* tagOf(payouts.request(asked(user))), "CredentialsChanged")
        const again = copied(user, `'requested', gen_random_uuid(), ${unset}`)
        assert.match(messageOf(yield* Effect.flip(sql.unsafe(again))), /waits for 7 days/)
        assert.strictEqual(yield* balance, 100n * dollar)
        yield* TestClock.adjust("8 days")
        yield* payouts.request(asked(user))
      }
    })
  )

  it.effect("that the customer cancels returns the money once", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, entries, user } = yield* customer
      const { id } = yield* payouts.request(asked(user))
      const stranger = yield* customer
      assert.strictEqual(yield* tagOf(payouts.cancel(stranger.user, id)), "PayoutNotFound")
      const all = yield* Effect.all(
        Arr.makeBy(4, () => payouts.cancel(user, id)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set(["cancelled"]))
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.deepStrictEqual((yield* entries)[0], ["deposit", 40n * dollar, "Returned: the withdrawal was cancelled"])
      assert.strictEqual(yield* tagOf(settlement.approve(person("owner"), id)), "PayoutMoved")
      // Returned money is paid money again.
      yield* payouts.request(asked(user, { amount: 100n * dollar }))
    })
  )
})

/** Copies the request of an account, with other values, as a hand in the database would. */
const copied = (user: string, values: string) => `
  INSERT INTO payout (id, user_id, currency, amount, destination, status, withdrawal_id, return_id, reference, approved_by,
    approved_by_name, approved_at, settled_by, settled_by_name, settled_at, created_at)
  SELECT gen_random_uuid(), user_id, currency, amount, destination, ${values}, created_at FROM payout WHERE user_id = '${user}'`

const erased = `
  UPDATE user_account SET deleted_at = updated_at, email = NULL, name = NULL, password_hash = NULL, signup_address = NULL,
    email_verified = false`

const unset = "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"

const refused: Readonly<Record<string, readonly [RegExp, (user: string) => string]>> = {
  "a second open request": [/payout_one_open/, (user) => copied(user, `'requested', gen_random_uuid(), ${unset}`)],
  "a request without its withdrawal": [
    /payout_withdrawn|has its entries/,
    (user) =>
      copied(user, "'cancelled', gen_random_uuid(), gen_random_uuid(), NULL, NULL, NULL, NULL, NULL, NULL, created_at")
  ],
  "money that returns while the request is open": [
    /payout_returned_or_not/,
    (
      user
    ) => `UPDATE payout SET return_id = withdrawal_id, status = 'approved', approved_by = 'a', approved_by_name = 'A',
      approved_at = created_at WHERE user_id = '${user}'`
  ],
  "a transfer that nobody approved": [
    /may not go from requested to sent/,
    (user) => `UPDATE payout SET status = 'sent', reference = 'x' WHERE user_id = '${user}'`
  ],
  "another amount": [/does not change/, (user) => `UPDATE payout SET amount = amount + 1 WHERE user_id = '${user}'`],
  "another destination": [
    /does not change/,
    (user) => `UPDATE payout SET destination = 'elsewhere' WHERE user_id = '${user}'`
  ],
  "the removal of a request": [/decided once/, (user) => `DELETE FROM payout WHERE user_id = '${user}'`],
  "the deletion of its account": [/payout of this account is open/, (user) => `${erased} WHERE id = '${user}'`]
}

layer(PayoutTesting.layer)("The database refuses", (it) => {
  for (const [what, [message, statement]] of Object.entries(refused))
    it.effect(what, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { user } = yield* customer
        yield* Payouts.use((payouts) => payouts.request(asked(user)))
        assert.match(messageOf(yield* Effect.flip(sql.unsafe(statement(user)))), message)
      })
    )

  it.effect("money that leaves a stopped wallet for a request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* customer
      const { withdrawal_id } = yield* Payouts.use((payouts) => payouts.request(asked(user)))
      yield* stop(user)
      const again = sql.unsafe(`
        WITH w AS (UPDATE wallet SET balance = balance - 1, seq = seq + 1 WHERE user_id = '${user}' AND currency = 'USD'
          RETURNING *)
        INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description,
          reference, payment_method, cause, seq, balance_before, balance_after, created_at, updated_at)
        SELECT gen_random_uuid(), user_id, id, -1, currency, 'withdrawal', 'completed', '', 'payout:${withdrawal_id}',
          'wallet', 'payout', seq, balance + 1, balance, updated_at, updated_at FROM w`)
      assert.match(messageOf(yield* Effect.flip(again)), /purchases of this account are stopped/)
    })
  )

  it.effect("nothing when a settled request loses its destination with its account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const payouts = yield* Payouts
      const { user } = yield* customer
      yield* verify(user)
      const { id } = yield* payouts.request(asked(user, { id: newPayoutId() }))
      yield* payouts.cancel(user, id)
      yield* sql.unsafe(`${erased} WHERE id = '${user}'`)
      assert.isNull((yield* PayoutSettlement.use((settlement) => settlement.find(id))).destination)
      assert.deepStrictEqual(yield* noticesOf(user), [])
    })
  )
})
