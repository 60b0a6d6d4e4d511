import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { account, credit, dollar, person } from "../adjustments/MoneyTesting.ts"
import { messageOf } from "../DatabaseRefusal.ts"
import * as PayoutTesting from "./PayoutTesting.ts"

const { asked, charge, customer, newPayoutId, noticesOf, share, spend, stop, verify } = PayoutTesting

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

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
      // What returned is paid money again.
      yield* payouts.request(asked(user, { amount: 100n * dollar }))
    })
  )
})

layer(PayoutTesting.layer)("Staff", (it) => {
  it.effect("approve a request and say by which transfer they sent it, once each", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      const finance = person("finance")
      const { id } = yield* payouts.request(asked(user))
      assert.strictEqual(yield* tagOf(settlement.send(finance, id, "SEPA 1")), "PayoutMoved")
      yield* settlement.approve(finance, id)
      assert.strictEqual((yield* settlement.approve(finance, id)).status, "approved")
      assert.strictEqual(yield* tagOf(settlement.approve(person("owner"), id)), "PayoutMoved")
      assert.strictEqual(yield* tagOf(payouts.cancel(user, id)), "PayoutMoved")
      const sent = yield* settlement.send(finance, id, "SEPA 1")
      assert.deepInclude(sent, { status: "sent", reference: "SEPA 1", settled_by: finance.id, approved_by: finance.id })
      yield* settlement.send(finance, id, "SEPA 1")
      assert.strictEqual(yield* tagOf(settlement.send(finance, id, "SEPA 2")), "PayoutMoved")
      assert.strictEqual(yield* tagOf(settlement.decline(finance, id, "Too late")), "PayoutMoved")
      assert.strictEqual(yield* balance, 60n * dollar)
      const notices = yield* noticesOf(user)
      assert.deepStrictEqual(notices.slice(1), ["We sent $40.00 of your wallet. Reference: SEPA 1"])
      // The next request is possible.
      yield* payouts.request(asked(user))
    })
  )

  it.effect("decline a request, or an approved one, and the money returns once, for 6 decisions at once", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      const { id } = yield* payouts.request(asked(user))
      const decisions = yield* Effect.all(
        [
          ...Arr.makeBy(2, () => Effect.exit(settlement.decline(person("owner"), id, "Please name the owner."))),
          ...Arr.makeBy(2, () => Effect.exit(settlement.approve(person("owner"), id))),
          Effect.exit(payouts.cancel(user, id)),
          Effect.exit(settlement.decline(person("finance"), id, "Not possible"))
        ],
        { concurrency: "unbounded" }
      )
      assert.isAtLeast(decisions.filter(Exit.isSuccess).length, 1)
      const after = yield* settlement.find(id)
      if (after.status === "approved") yield* settlement.decline(person("finance"), id, "Not possible")
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.include(["declined", "cancelled"], (yield* settlement.find(id)).status)
    })
  )

  it.effect("do not approve above their limits, nor for a stopped customer, but can decline then", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      yield* Fixtures.fund(user, 900n * dollar)
      const { id } = yield* payouts.request(asked(user, { amount: 501n * dollar }))
      assert.strictEqual(yield* tagOf(settlement.approve(person("finance"), id)), "LimitReached")
      assert.strictEqual(yield* tagOf(settlement.approve(person("support"), id)), "LimitReached")
      yield* stop(user)
      assert.strictEqual(yield* tagOf(settlement.approve(person("owner"), id)), "CustomerStopped")
      yield* settlement.decline(person("finance"), id, "Your payment is disputed.")
      assert.strictEqual(yield* balance, 1_000n * dollar)
      assert.strictEqual((yield* noticesOf(user)).length, 2)
    })
  )

  it.effect("stay within the limit of a customer in 30 days", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { user } = yield* customer
      yield* Fixtures.fund(user, 3_000n * dollar)
      const pay = Effect.gen(function* () {
        const finance = person("finance")
        const { id } = yield* payouts.request(asked(user, { amount: 500n * dollar }))
        const approved = yield* Effect.exit(settlement.approve(finance, id))
        if (Exit.isSuccess(approved)) yield* settlement.send(finance, id, "SEPA")
        else yield* settlement.decline(person("owner"), id, "Not this month")
        return Exit.isSuccess(approved)
      })
      const made = yield* Effect.forEach(Arr.range(1, 5), () => pay)
      assert.deepStrictEqual(made, [true, true, true, true, false])
      yield* TestClock.adjust("31 days")
      assert.isTrue(yield* pay)
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
    })
  )
})
