import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { messageOf } from "./DatabaseRefusal.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const at = new Date(0)

interface Entry {
  readonly [column: string]: unknown
}

/** A wallet in the database whose ledger holds three completed entries: +100, -30, +5. */
const wallet = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user_id = yield* Fixtures.newUser
  const id = randomUUID()
  const common = { user_id, wallet_id: id, currency: "USD", description: "Test", created_at: at, updated_at: at }

  const entry = (values: Entry) => ({
    id: randomUUID(),
    ...common,
    transaction_type: "deposit",
    status: "completed",
    reference: randomUUID(),
    ...values
  })
  const insert = (values: Entry) => sql`INSERT INTO wallet_transaction ${sql.insert(entry(values))}`
  const point = (balance: bigint, seq: number) =>
    sql`UPDATE wallet SET balance = ${balance}, seq = ${seq}, updated_at = ${at} WHERE id = ${id}`
  /** Books an entry and points the wallet to it in one statement, as the service does. */
  const book = (values: { seq: number; balance_after: bigint } & Entry) =>
    sql`
      WITH w AS (UPDATE wallet SET balance = ${values.balance_after}, seq = ${values.seq} WHERE id = ${id} RETURNING id)
      INSERT INTO wallet_transaction ${sql.insert(entry(values))}
    `

  yield* sql`INSERT INTO wallet ${sql.insert({ id, user_id, currency: "USD", balance: 0n, created_at: at, updated_at: at })}`
  yield* book({ amount: 100n, seq: 1, balance_before: 0n, balance_after: 100n })
  const payment = randomUUID()
  yield* book({
    id: payment,
    amount: -30n,
    transaction_type: "payment",
    reference: payment,
    seq: 2,
    balance_before: 100n,
    balance_after: 70n
  })
  yield* book({ amount: 5n, seq: 3, balance_before: 70n, balance_after: 75n })
  return { id, user_id, payment, insert, point, book }
})

type Wallet = Effect.Success<typeof wallet>
type Attempt = (
  wallet: Wallet,
  sql: SqlClient.SqlClient
) => Effect.Effect<unknown, { readonly reason?: unknown }, SqlClient.SqlClient>

const next = { seq: 4, balance_before: 75n, balance_after: 85n }

/** Statements that the tables refuse, each with a pattern of the expected refusal. */
const attempts: Record<string, readonly [refusal: RegExp, attempt: Attempt]> = {
  "debit more than the wallet holds": [
    /balance_after_check|wallet_balance_check/,
    ({ book }) => book({ amount: -76n, transaction_type: "payment", seq: 4, balance_before: 75n, balance_after: -1n })
  ],
  "change a balance without an entry": [
    /wallet_balance_is_of_last_entry/,
    ({ id }, sql) => sql`UPDATE wallet SET balance = balance + 1 WHERE id = ${id}`
  ],
  "lower the number of a wallet's entries": [/append-only/, ({ point }) => point(70n, 2)],
  "point the wallet to an entry that does not exist": [/wallet_balance_is_of_last_entry/, ({ point }) => point(75n, 4)],
  "unlink the wallet from its ledger": [
    /append-only/,
    ({ id }, sql) => sql`UPDATE wallet SET balance = 0, seq = NULL WHERE id = ${id}`
  ],
  "create a wallet that holds money already": [
    /wallet_without_entries_is_empty/,
    ({ user_id }, sql) =>
      sql`INSERT INTO wallet ${sql.insert({ id: randomUUID(), user_id, currency: "STAR", balance: 5n, created_at: at, updated_at: at })}`
  ],
  "give an account two wallets in a currency": [
    /wallet_user_id_currency_key/,
    ({ user_id }, sql) =>
      sql`INSERT INTO wallet ${sql.insert({ id: randomUUID(), user_id, currency: "USD", balance: 0n, created_at: at, updated_at: at })}`
  ],
  "write an entry that the wallet does not include": [
    /does not count this entry/,
    ({ insert }) => insert({ amount: 10n, ...next })
  ],
  "write a second entry with the same number": [
    /wallet_transaction_seq/,
    ({ insert }) => insert({ amount: 10n, seq: 3, balance_before: 70n, balance_after: 80n })
  ],
  "skip a number": [
    /wallet_transaction_follows/,
    ({ book }) => book({ amount: 10n, seq: 5, balance_before: 75n, balance_after: 85n })
  ],
  "start an entry from a balance that differs from the previous one": [
    /wallet_transaction_follows/,
    ({ book }) => book({ amount: 10n, seq: 4, balance_before: 70n, balance_after: 80n })
  ],
  "write an entry that does not add up": [/wallet_transaction_adds_up/, ({ book }) => book({ amount: 11n, ...next })],
  "begin a ledger with a balance above zero": [
    /wallet_transaction_starts_at_zero/,
    ({ insert }) => insert({ amount: 10n, seq: 1, balance_before: 7n, balance_after: 17n })
  ],
  "complete an entry without balances": [
    /wallet_transaction_counts_when_completed/,
    ({ insert }) => insert({ amount: 10n })
  ],
  "count a pending entry": [
    /wallet_transaction_counts_when_completed/,
    ({ book }) => book({ amount: 10n, ...next, status: "pending" })
  ],
  "book an amount of zero": [
    /wallet_transaction_amount_check/,
    ({ book }) => book({ amount: 0n, seq: 4, balance_before: 75n, balance_after: 75n })
  ],
  "book a payment that adds money": [
    /wallet_transaction_sign/,
    ({ book }) => book({ amount: 10n, ...next, transaction_type: "payment" })
  ],
  "book another currency than the wallet's": [
    /wallet_transaction_of_wallet/,
    ({ book }) => book({ amount: 10n, ...next, currency: "STAR" })
  ],
  "book for another account than the wallet's": [
    /wallet_transaction_of_wallet/,
    ({ book }) => Effect.flatMap(Fixtures.newUser, (user_id) => book({ amount: 10n, ...next, user_id }))
  ],
  "book the same reference twice": [
    /wallet_transaction_once/,
    ({ book, payment }) =>
      book({
        amount: -10n,
        transaction_type: "payment",
        reference: payment,
        seq: 4,
        balance_before: 75n,
        balance_after: 65n
      })
  ],
  "book a refund without its payment": [
    /wallet_transaction_refund_of_payment/,
    ({ book }) => book({ amount: 10n, ...next, transaction_type: "refund" })
  ],
  "refund more than was paid": [
    /a refund returns one payment, whole/,
    ({ book, payment }) =>
      book({
        amount: 31n,
        transaction_type: "refund",
        refunded_transaction_id: payment,
        seq: 4,
        balance_before: 75n,
        balance_after: 106n
      })
  ],
  "book a dollar payment with a different dollar price": [
    /wallet_transaction_usd/,
    ({ book }) =>
      book({
        amount: -10n,
        transaction_type: "payment",
        amount_usd: 9n,
        seq: 4,
        balance_before: 75n,
        balance_after: 65n
      })
  ],
  "book a key's payment without its dollar price": [
    /wallet_transaction_spent_by_key/,
    ({ book }) =>
      book({
        amount: -10n,
        transaction_type: "payment",
        api_key_id: randomUUID(),
        seq: 4,
        balance_before: 75n,
        balance_after: 65n
      })
  ],
  "book an app's payment without its dollar price": [
    /wallet_transaction_spent_by_app/,
    ({ book }) =>
      book({
        amount: -10n,
        transaction_type: "payment",
        grant_id: randomUUID(),
        seq: 4,
        balance_before: 75n,
        balance_after: 65n
      })
  ],
  "book one payment of both a key and an app": [
    /wallet_transaction_spent_by_app/,
    ({ book }) =>
      book({
        amount: -10n,
        amount_usd: 10n,
        transaction_type: "payment",
        api_key_id: randomUUID(),
        grant_id: randomUUID(),
        seq: 4,
        balance_before: 75n,
        balance_after: 65n
      })
  ],
  "give a payment to another app": [
    /append-only/,
    ({ payment }, sql) => sql`UPDATE wallet_transaction SET grant_id = gen_random_uuid() WHERE id = ${payment}`
  ],
  "change an entry": [
    /append-only/,
    ({ payment }, sql) => sql`UPDATE wallet_transaction SET description = 'Other' WHERE id = ${payment}`
  ],
  "return a completed entry to pending": [
    /append-only/,
    ({ payment }, sql) =>
      sql`UPDATE wallet_transaction SET status = 'failed', seq = NULL, balance_before = NULL, balance_after = NULL WHERE id = ${payment}`
  ],
  "delete an entry": [/append-only/, ({ payment }, sql) => sql`DELETE FROM wallet_transaction WHERE id = ${payment}`],
  "delete a wallet": [/append-only/, ({ id }, sql) => sql`DELETE FROM wallet WHERE id = ${id}`],
  "empty the ledger": [/append-only/, (_wallet, sql) => sql`TRUNCATE wallet_transaction CASCADE`]
}

layer(TestDatabase.layer)("The ledger", (it) => {
  for (const [what, [refusal, attempt]] of Object.entries(attempts))
    it.effect(`refuses to ${what}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const subject = yield* wallet
        const error = yield* Effect.flip(attempt(subject, sql))
        assert.match(messageOf(error), refusal)
        const [left] = yield* sql`
          SELECT w.balance, w.seq, sum(t.amount)::bigint AS total FROM wallet w JOIN wallet_transaction t ON t.wallet_id = w.id
          WHERE w.id = ${subject.id} GROUP BY w.id
        `
        assert.deepStrictEqual({ ...left }, { balance: 75n, seq: 3n, total: 75n })
      })
    )

  it.effect("settles a pending entry once, and refuses to change its other fields", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { insert, id } = yield* wallet
      const pending = randomUUID()
      yield* insert({ id: pending, amount: 10n, status: "pending" })
      const change = sql`UPDATE wallet_transaction SET status = 'failed', amount = 20 WHERE id = ${pending}`
      assert.match(messageOf(yield* Effect.flip(change)), /append-only/)
      const remove = sql`DELETE FROM wallet_transaction WHERE id = ${pending}`
      assert.match(messageOf(yield* Effect.flip(remove)), /append-only/)
      const complete = sql`
        WITH w AS (UPDATE wallet SET balance = 85, seq = 4 WHERE id = ${id})
        UPDATE wallet_transaction SET status = 'completed', seq = 4, balance_before = 75, balance_after = 85
        WHERE id = ${pending}
      `
      yield* complete
      const again = sql`UPDATE wallet_transaction SET status = 'pending' WHERE id = ${pending}`
      assert.match(messageOf(yield* Effect.flip(again)), /append-only/)
    })
  )

  it.effect("refunds a payment once", () =>
    Effect.gen(function* () {
      const { book, payment } = yield* wallet
      const refund = { amount: 30n, transaction_type: "refund", refunded_transaction_id: payment }
      yield* book({ ...refund, seq: 4, balance_before: 75n, balance_after: 105n })
      const again = book({ ...refund, seq: 5, balance_before: 105n, balance_after: 135n })
      assert.match(messageOf(yield* Effect.flip(again)), /wallet_transaction_refunded_once/)
    })
  )
})
