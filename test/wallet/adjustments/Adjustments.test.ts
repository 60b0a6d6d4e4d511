import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import * as AdjustmentExpiry from "../../../src/wallet/adjustments/AdjustmentExpiry.ts"
import { messageOf } from "../DatabaseRefusal.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { account, credit, dollar, newId, person, services } from "./MoneyTesting.ts"

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

layer(services)("A credit by staff", (it) => {
  it.effect("is booked once however often it is asked for, and the customer reads the reason", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, entries, user } = yield* account
      const actor = person("support")
      const request = credit(user, { customer_text: "Sorry for the slow proxy" })
      const all = yield* Effect.all(
        Arr.makeBy(8, () => adjustments.create(actor, request)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        all.filter(({ is_replay }) => !is_replay),
        1
      )
      assert.strictEqual(yield* balance, 5n * dollar)
      assert.deepStrictEqual(yield* entries, [["deposit", 5n * dollar, "Sorry for the slow proxy"]])
      assert.strictEqual(yield* tagOf(adjustments.create(actor, { ...request, amount: 6n * dollar })), "KeyReused")
      assert.strictEqual(yield* tagOf(adjustments.create(actor, credit(newId() as never))), "CustomerNotFound")
    })
  )

  it.effect("above the limit waits for a second person, who decides once", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, user } = yield* account
      const [asker, boss, other] = [person("support"), person("finance"), person("owner")]
      const request = credit(user, { amount: 11n * dollar })
      const { record } = yield* adjustments.create(asker, request)
      assert.strictEqual(record.status, "requested")
      assert.strictEqual(yield* balance, 0n)
      assert.strictEqual(yield* tagOf(adjustments.approve(asker, record.id)), "MayNotDecide")
      const decisions = yield* Effect.all(
        [
          Effect.exit(adjustments.approve(boss, record.id)),
          Effect.exit(adjustments.approve(other, record.id)),
          Effect.exit(adjustments.decline(other, record.id))
        ],
        { concurrency: "unbounded" }
      )
      assert.lengthOf(decisions.filter(Exit.isSuccess), 1)
      const { decided_by, status } = yield* adjustments.find(record.id)
      assert.include([boss.id, other.id], decided_by)
      assert.strictEqual(yield* balance, status === "booked" ? 11n * dollar : 0n)
    })
  )

  it.effect("is not approved by the person who asked for it", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { user } = yield* account
      const asker = person("finance")
      const { record } = yield* adjustments.create(asker, credit(user, { amount: 501n * dollar }))
      assert.strictEqual(yield* tagOf(adjustments.approve(asker, record.id)), "SelfApproval")
      const approved = yield* adjustments.approve(person("finance"), record.id)
      assert.strictEqual(approved.record.status, "booked")
    })
  )

  it.effect("that nobody decides expires, and books nothing", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, user } = yield* account
      const { record } = yield* adjustments.create(person("support"), credit(user, { amount: 99n * dollar }))
      yield* TestClock.adjust("73 hours")
      assert.strictEqual(yield* tagOf(adjustments.approve(person("owner"), record.id)), "AlreadyDecided")
      yield* AdjustmentExpiry.run
      assert.strictEqual((yield* adjustments.find(record.id)).status, "expired")
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("stays within the limits of a customer in 30 days and of a person in a day, for 8 writers at once", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, user } = yield* account
      const people = Arr.makeBy(8, () => person("support"))
      const made = yield* Effect.forEach(
        people,
        (actor) => adjustments.create(actor, credit(user, { amount: 10n * dollar })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        made.filter(({ record }) => record.status === "booked"),
        5
      )
      assert.strictEqual(yield* balance, 50n * dollar)
      const busy = person("support")
      const customers = yield* Effect.forEach(Arr.range(1, 24), () => account)
      const credits = yield* Effect.forEach(
        customers,
        (one) => adjustments.create(busy, credit(one.user, { amount: 10n * dollar })),
        { concurrency: 8 }
      )
      assert.lengthOf(
        credits.filter(({ record }) => record.status === "booked"),
        20
      )
    })
  )
})

layer(services)("A debit by staff", (it) => {
  it.effect("takes what the wallet has, and never more", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, entries, user } = yield* account
      yield* Fixtures.fund(user, 3n * dollar)
      const actor = person("finance")
      const debit = credit(user, { cause: "correction", amount: -4n * dollar })
      assert.strictEqual(yield* tagOf(adjustments.create(actor, debit)), "BalanceTooLow")
      yield* adjustments.create(actor, { ...debit, amount: -3n * dollar })
      assert.strictEqual(yield* balance, 0n)
      assert.deepInclude(yield* entries, ["withdrawal", -3n * dollar, "Correction: debited"])
    })
  )

  it.effect("that waits for approval stays requested while the wallet has too little", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, user } = yield* account
      yield* Fixtures.fund(user, 600n * dollar)
      const { record } = yield* adjustments.create(
        person("finance"),
        credit(user, { cause: "correction", amount: -600n * dollar })
      )
      yield* adjustments.create(person("owner"), credit(user, { cause: "correction", amount: -1n * dollar }))
      assert.strictEqual(yield* tagOf(adjustments.approve(person("owner"), record.id)), "BalanceTooLow")
      assert.strictEqual((yield* adjustments.find(record.id)).status, "requested")
      assert.strictEqual(yield* balance, 599n * dollar)
    })
  )

  it.effect("takes a goodwill credit back at most once, whole or in parts", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, user } = yield* account
      yield* Fixtures.fund(user, 100n * dollar)
      const { record } = yield* adjustments.create(person("support"), credit(user))
      const revoke = (amount?: bigint) =>
        adjustments.revoke(person("finance"), {
          id: newId(),
          revokes: record.id,
          amount,
          reason_code: "mistake",
          reason: "Given to the wrong account",
          customer_text: null
        })
      const all = yield* Effect.all(
        Arr.makeBy(4, () => Effect.exit(revoke(2n * dollar))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter(Exit.isSuccess), 2)
      yield* revoke()
      assert.strictEqual(yield* tagOf(revoke()), "NothingToRevoke")
      assert.strictEqual(yield* balance, 100n * dollar)
    })
  )
})

/** Copies the records of an account, booked and without their entries. */
const copied = (user: string, decided: string) => `
  INSERT INTO wallet_adjustment (id, user_id, currency, amount, cause, reason_code, reason, status, is_over_limit, created_by,
    created_by_name, created_by_role, decided_by, decided_by_name, created_at, expires_at, decided_at)
  SELECT gen_random_uuid(), user_id, currency, amount, cause, reason_code, reason, status, is_over_limit, created_by,
    created_by_name, created_by_role, ${decided}, created_at, expires_at, decided_at
  FROM wallet_adjustment WHERE user_id = '${user}'`

/** Statements that the tables refuse, each with a pattern of the refusal. */
const refused: Record<string, readonly [RegExp, (id: string) => string]> = {
  "an entry with a cause and without a record": [
    /no record/,
    (
      user
    ) => `WITH w AS (UPDATE wallet SET balance = balance + 7, seq = seq + 1 WHERE user_id = '${user}' AND currency = 'USD' RETURNING *)
      INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description, reference,
        cause, seq, balance_before, balance_after, created_at, updated_at)
      SELECT gen_random_uuid(), user_id, id, 7, currency, 'deposit', 'completed', 'x', 'by hand', 'goodwill', seq, balance - 7, balance,
        updated_at, updated_at FROM w`
  ],
  "a record that is booked without an entry": [/wallet_adjustment_has_entry/, (user) => copied(user, "NULL, NULL")],
  "a request that its own author decides": [/wallet_adjustment_four_eyes/, (user) => copied(user, "created_by, 'x'")],
  "a booked record with another amount": [
    /decided once/,
    (user) => `UPDATE wallet_adjustment SET amount = amount + 1 WHERE user_id = '${user}'`
  ],
  "the removal of a record": [/decided once/, (user) => `DELETE FROM wallet_adjustment WHERE user_id = '${user}'`],
  "another cause of an entry": [
    /append-only/,
    (user) => `UPDATE wallet_transaction SET cause = 'correction' WHERE user_id = '${user}' AND cause IS NOT NULL`
  ]
}

layer(services)("The database refuses", (it) => {
  it.effect.each(Object.entries(refused))("%s", ([, [pattern, statement]]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* account
      yield* Adjustments.use((adjustments) => adjustments.create(person("support"), credit(user)))
      const said = yield* Effect.flip(sql.withTransaction(sql.unsafe(statement(user))))
      assert.match(messageOf(said), pattern)
    })
  )
})
