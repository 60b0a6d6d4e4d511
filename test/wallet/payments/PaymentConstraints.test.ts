import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { messageOf } from "../DatabaseRefusal.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const at = new Date(0)
const times = { created_at: at, updated_at: at }

interface Values {
  readonly [column: string]: unknown
}

/**
 * An account with an empty wallet and a pending deposit of 100, and statements about them that run in a transaction.
 */
const payer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user_id = yield* Fixtures.newUser
  const wallet_id = randomUUID()
  const pending = randomUUID()
  const id = randomUUID()
  const about = { user_id, currency: "USD", amount: 100n }

  const entry = (values: Values) =>
    sql`INSERT INTO wallet_transaction ${sql.insert({
      id: randomUUID(),
      ...about,
      wallet_id,
      transaction_type: "deposit",
      status: "pending",
      description: "Test",
      reference: randomUUID(),
      ...times,
      ...values
    })}`
  const intent = (values: Values = {}) =>
    sql`INSERT INTO payment_intent ${sql.insert({
      id,
      ...about,
      purpose: "deposit",
      payment_method: "card_gateway",
      status: "pending",
      transaction_id: pending,
      expires_at: at,
      look_at: at,
      ...times,
      ...values
    })}`
  const charge = (values: Values = {}) =>
    sql`INSERT INTO payment_charge ${sql.insert({
      payment_method: "card_gateway",
      charge_id: randomUUID(),
      payment_intent_id: id,
      ...about,
      transaction_id: pending,
      created_at: at,
      ...values
    })}`
  const settle = (status: string) => sql`UPDATE payment_intent SET status = ${status} WHERE id = ${id}`
  const fail = sql`UPDATE wallet_transaction SET status = 'failed' WHERE id = ${pending}`
  const complete = sql`
    WITH w AS (UPDATE wallet SET balance = 100, seq = 1 WHERE id = ${wallet_id})
    UPDATE wallet_transaction SET status = 'completed', seq = 1, balance_before = 0, balance_after = 100
    WHERE id = ${pending}
  `

  yield* sql`INSERT INTO wallet ${sql.insert({ id: wallet_id, user_id, currency: "USD", balance: 0n, ...times })}`
  yield* entry({ id: pending })
  return { id, user_id, wallet_id, pending, entry, intent, charge, settle, fail, complete }
})

type Payer = Effect.Success<typeof payer>
type Attempt = (
  payer: Payer
) => Generator<Effect.Effect<unknown, { readonly reason?: unknown }, SqlClient.SqlClient>, void, never>

/** Statements that the tables refuse, each with a pattern of the expected refusal. */
const attempts: Record<string, readonly [refusal: RegExp, attempt: Attempt]> = {
  "a payment with an entry of another account": [
    /payment_intent_of_entry/,
    function* ({ intent }) {
      yield* Effect.flatMap(Fixtures.newUser, (user_id) => intent({ user_id }))
    }
  ],
  "a payment with another amount than its entry": [
    /payment_intent_of_entry/,
    function* ({ intent }) {
      yield* intent({ amount: 5n })
    }
  ],
  "a payment with another currency than its entry": [
    /payment_intent_of_entry/,
    function* ({ intent }) {
      yield* intent({ currency: "STAR", payment_method: "messenger_stars" })
    }
  ],
  "a payment that is inserted as paid": [
    /a payment is paid by a charge/,
    function* ({ complete, intent }) {
      yield* intent({ status: "paid" })
      yield* complete
    }
  ],
  "a payment that becomes paid without a charge": [
    /a payment is paid by a charge/,
    function* ({ complete, intent, settle }) {
      yield* intent()
      yield* settle("paid")
      yield* complete
    }
  ],
  "a paid payment with a pending entry": [
    /payment_charge_credited|payment_intent_of_entry/,
    function* ({ charge, intent, settle }) {
      yield* intent()
      yield* charge()
      yield* settle("paid")
    }
  ],
  "a pending payment with a completed entry": [
    /payment_intent_of_entry/,
    function* ({ complete, intent }) {
      yield* intent()
      yield* complete
    }
  ],
  "a failed payment with a pending entry": [
    /payment_intent_of_entry/,
    function* ({ intent, settle }) {
      yield* intent()
      yield* settle("failed")
    }
  ],
  "a charge with another amount than its entry": [
    /payment_charge_credited/,
    function* ({ charge, complete, intent, settle }) {
      yield* intent()
      yield* charge({ amount: 1n })
      yield* settle("paid")
      yield* complete
    }
  ],
  "a charge that credits another account": [
    /payment_charge_(of_intent|credited)/,
    function* ({ charge, intent }) {
      yield* intent()
      yield* Effect.flatMap(Fixtures.newUser, (user_id) => charge({ user_id }))
    }
  ],
  "a charge with another payment method than its intent": [
    /payment_charge_of_intent/,
    function* ({ charge, intent }) {
      yield* intent()
      yield* charge({ payment_method: "crypto_gateway" })
    }
  ],
  "a charge without a completed entry": [
    /payment_charge_credited/,
    function* ({ charge, intent }) {
      yield* intent()
      yield* charge()
    }
  ],
  "a refund of a pending deposit": [
    /a refund returns one payment, whole/,
    function* ({ entry, pending }) {
      yield* entry({ transaction_type: "refund", refunded_transaction_id: pending })
    }
  ]
}

layer(TestDatabase.layer)("The payment tables", (it) => {
  for (const [what, [refusal, attempt]] of Object.entries(attempts))
    it.effect(`refuse ${what}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const subject = yield* payer
        const statements = Effect.gen(() => attempt(subject))
        assert.match(messageOf(yield* Effect.flip(sql.withTransaction(statements))), refusal)
      })
    )

  it.effect("accept a paid payment and a failed payment", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const paid = yield* payer
      yield* paid.intent()
      yield* sql.withTransaction(Effect.all([paid.charge(), paid.settle("paid"), paid.complete], { discard: true }))
      const failed = yield* payer
      yield* failed.intent()
      yield* sql.withTransaction(Effect.all([failed.settle("failed"), failed.fail], { discard: true }))
      const rows = yield* sql`SELECT status FROM payment_intent WHERE id IN (${paid.id}, ${failed.id}) ORDER BY status`
      assert.deepStrictEqual(
        rows.map(({ status }) => status),
        ["failed", "paid"]
      )
    })
  )
})

layer(TestDatabase.layer)("The table of callbacks", (it) => {
  it.effect("refuses to store the secret that Telegram repeats in its calls", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at)
        VALUES (gen_random_uuid(), 'messenger_stars', '{"x-telegram-bot-api-secret-token": "secret"}', '', 'received',
          ${at})
      `
      assert.match(messageOf(yield* Effect.flip(insert)), /payment_callback_keeps_no_secret/)
    })
  )
})
