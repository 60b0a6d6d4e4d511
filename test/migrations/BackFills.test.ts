import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { newUser } from "../support/Fixtures.ts"
import { handedOut, offer as offerWithShop, offerBeforeShop as offer, paidOrder } from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { migratedTo } from "./MigratedTo.ts"

/** Fills a database that has the migrations up to `last`, migrates it as a start does, and reads it. */
const upgraded = Effect.fnUntraced(function* <A, E, B, F>(
  last: number,
  fill: Effect.Effect<A, E, SqlClient.SqlClient>,
  look: (filled: A) => Effect.Effect<B, F, SqlClient.SqlClient>
) {
  const options = yield* TestDatabase.configEmpty
  const client = PgClient.layer({ ...options, maxConnections: 1 })
  const filling = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migratedTo(last)
    return yield* sql.withTransaction(fill)
  })
  const filled = yield* Effect.provide(filling, client)
  yield* Effect.scoped(Effect.provide(look(filled), Database.layerWith(options)))
})

const at = new Date("2026-01-02T03:04:05Z")

interface Entry {
  readonly id: string
  readonly amount: bigint
  readonly payment_method: string
  readonly reference: string
}

const entry = (amount: bigint, reference: string, payment_method = "card_gateway"): Entry => ({
  id: randomUUID(),
  amount,
  payment_method,
  reference
})

/** The money that a refund or dispute moved. */
const moved = (reversal_id: string, amount: bigint) => entry(amount, `reversal:card_gateway:${reversal_id}`, "wallet")

/** Deposits and withdrawals as the whole ledger of one wallet. */
const booked = Effect.fnUntraced(function* (
  user_id: UserId,
  currency: string,
  entries: Arr.NonEmptyReadonlyArray<Entry>
) {
  const sql = yield* SqlClient.SqlClient
  const times = { created_at: at, updated_at: at }
  const wallet = { id: randomUUID(), user_id, currency, ...times }
  let balance_after = 0n
  const rows = Arr.map(entries, (each, index) => {
    const balance_before = balance_after
    balance_after += each.amount
    const counted = { status: "completed", seq: index + 1, balance_before, balance_after }
    const said = { transaction_type: each.amount > 0n ? "deposit" : "withdrawal", description: "Moved" }
    return { ...each, ...counted, ...said, user_id, wallet_id: wallet.id, currency, ...times }
  })
  yield* sql`
    WITH wallet AS (INSERT INTO wallet ${sql.insert({ ...wallet, seq: rows.length, balance: balance_after })})
    INSERT INTO wallet_transaction ${sql.insert(rows)}
  `
})

/** The payment that a gateway reported for a deposit. */
const charged = Effect.fnUntraced(function* (user_id: UserId, currency: string, charge_id: string, deposit: Entry) {
  const sql = yield* SqlClient.SqlClient
  const { amount, id: transaction_id, payment_method } = deposit
  const id = randomUUID()
  const paid = { user_id, currency, payment_method, amount, transaction_id, created_at: at }
  const ended = { purpose: "deposit", status: "paid", expires_at: at, updated_at: at }
  yield* sql`
    WITH intent AS (INSERT INTO payment_intent ${sql.insert({ id, ...paid, ...ended })})
    INSERT INTO payment_charge ${sql.insert({ ...paid, payment_intent_id: id, charge_id })}
  `
})

describe("A database of an earlier version", () => {
  it.effect("keeps the referral shares that were credited immediately (0023)", () =>
    upgraded(
      22,
      Effect.gen(function* () {
        const [referrer, payer] = [yield* newUser, yield* newUser]
        const dollars = entry(5_000_000n, "intent:1")
        const without = entry(9n, "intent:2")
        const stars = entry(100n, "intent:3", "messenger_stars")
        yield* booked(payer, "USD", [dollars, without])
        yield* booked(payer, "STAR", [stars])
        yield* charged(payer, "USD", "ch:1", dollars)
        yield* charged(payer, "USD", "ch:2", without)
        yield* charged(payer, "STAR", "ch:1", stars)
        const share = entry(500_000n, "referral:card_gateway:ch:1", "wallet")
        const starShare = entry(10n, "referral:messenger_stars:ch:1", "wallet")
        yield* booked(referrer, "USD", [share, entry(7n, "promotion:1", "wallet")])
        yield* booked(referrer, "STAR", [starShare])
        return { payer, referrer, share, starShare }
      }),
      Effect.fnUntraced(function* ({ payer, referrer, share, starShare }) {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT payment_method, charge_id, referrer_id, referred_id, currency, amount, status, reason, due_at,
            transaction_id, returned, created_at
          FROM referral_share ORDER BY payment_method
        `
        const expected = (payment_method: string, currency: string, { amount, id }: Entry) => ({
          payment_method,
          charge_id: "ch:1",
          referrer_id: referrer,
          referred_id: payer,
          currency,
          amount,
          status: "credited",
          reason: null,
          due_at: at,
          transaction_id: id,
          returned: 0n,
          created_at: at
        })
        assert.deepStrictEqual(
          [...rows],
          [expected("card_gateway", "USD", share), expected("messenger_stars", "STAR", starShare)]
        )
      })
    )
  )

  it.effect("keeps the claim and the return of each reversal of a charge (0036)", () =>
    upgraded(
      35,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const payer = yield* newUser
        const [one, two, three] = [entry(25n, "intent:1"), entry(25n, "intent:2"), entry(25n, "intent:3")]
        const debits = [moved("re:1", -25n), moved("re:2", -25n), moved("re:3", -10n), moved("dp:3", -15n)] as const
        const given = moved("re:2", 25n)
        yield* booked(payer, "USD", [one, two, three, ...debits, given])
        yield* charged(payer, "USD", "ch:1", one)
        yield* charged(payer, "USD", "ch:2", two)
        yield* charged(payer, "USD", "ch:3", three)
        const reversed = (charge_id: string, reversal_id: string, amount: bigint, debit_id: string | null = null) => {
          const kind = reversal_id.startsWith("re") ? "refund" : "dispute"
          const taken = { status: "taken", amount, debited: amount, debit_id, created_at: at, updated_at: at }
          const row = { payment_method: "card_gateway", reversal_id, charge_id, user_id: payer, currency: "USD", kind }
          return sql`INSERT INTO payment_reversal ${sql.insert({ ...row, ...taken })}`
        }
        yield* reversed("ch:1", "re:1", 25n, debits[0].id)
        yield* reversed("ch:1", "dp:1", 0n)
        yield* reversed("ch:2", "re:2", 25n, debits[1].id)
        yield* sql`
          UPDATE payment_reversal SET status = 'returned', return_id = ${given.id} WHERE reversal_id = 're:2'
        `
        yield* reversed("ch:2", "dp:2", 0n)
        yield* reversed("ch:3", "re:3", 10n, debits[2].id)
        yield* reversed("ch:3", "dp:3", 15n, debits[3].id)
      }),
      Effect.fnUntraced(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT reversal_id, amount, debited, given_back FROM payment_reversal ORDER BY charge_id, reversal_id
        `
        assert.deepStrictEqual(
          rows.map(({ amount, debited, given_back, reversal_id }) => [reversal_id, amount, debited, given_back]),
          [
            ["dp:1", 25n, 0n, 0n],
            ["re:1", 25n, 25n, 0n],
            ["dp:2", 25n, 0n, 0n],
            ["re:2", 25n, 25n, 25n],
            ["dp:3", 15n, 15n, 0n],
            ["re:3", 10n, 10n, 0n]
          ]
        )
        const end = sql`UPDATE payment_reversal SET status = 'returned'`
        // The money of the first belongs to the dispute; that of the third belongs to no reversal.
        yield* sql`${end} WHERE reversal_id = 're:1'`
        const kept = yield* Effect.flip(sql`${end} WHERE reversal_id = 're:3'`)
        assert.match(String(kept.reason.cause), /no reversal of its charge claims/)
      })
    )
  )

  it.effect("ends the orders of accounts that were deleted earlier (0029)", () =>
    upgraded(
      28,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* offer
        const ordered = Effect.fnUntraced(function* (user: UserId, ...changes: ReadonlyArray<string>) {
          const id = randomUUID()
          yield* sql`INSERT INTO proxy_order ${sql.insert(paidOrder(id, user, DateTime.fromDateUnsafe(at)))}`
          for (const change of changes) yield* sql`UPDATE proxy_order SET ${sql.literal(change)} WHERE id = ${id}`
        })
        const gone = { paid: yield* newUser, served: yield* newUser, over: yield* newUser, without: yield* newUser }
        const living = yield* newUser
        const ended = [handedOut, "proxy_status = 'expiring'", "status = 'expired', proxy_status = 'expired'"]
        yield* ordered(gone.paid)
        yield* ordered(gone.served, handedOut)
        yield* ordered(gone.served, ...ended)
        yield* ordered(gone.over, ...ended)
        yield* ordered(living, handedOut)
        yield* sql`
          UPDATE user_account SET deleted_at = ${at}, email = NULL WHERE ${sql.in("id", Object.values(gone))}
        `
        return [gone.paid, gone.served]
      }),
      Effect.fnUntraced(function* (unended) {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT user_id, due_at, tried_to FROM account_closure`
        assert.sameDeepMembers(
          [...rows],
          unended.map((user_id) => ({ user_id, due_at: at, tried_to: null }))
        )
      })
    )
  )

  it.effect("records which proxies hold an address, and the accounts of open ones (0065, 0066)", () =>
    upgraded(
      64,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* offerWithShop
        const user = yield* newUser
        const proxy = Effect.fnUntraced(function* (port: number, columns: string) {
          const [id, reference] = [randomUUID(), randomUUID()]
          yield* sql`INSERT INTO proxy_order ${sql.insert(paidOrder(reference, user, DateTime.fromDateUnsafe(at)))}`
          yield* sql`
            INSERT INTO gateway_proxy (id, reference, country_code, ip_version, protocol, port, logins, expires_at, created_at,
              updated_at, kind, exit_ip, signature, rotations, status)
            SELECT ${id}::uuid, ${reference}::uuid, 'US', 'IPv4', 'HTTP', ${port}::int,
              '[{"username": "u", "password": "p"}]', ${at}::timestamptz + interval '30 days', ${at}::timestamptz,
              ${at}::timestamptz + interval '2 hours', ${sql.literal(columns)}
          `
          return { id, reference }
        })
        const open = yield* proxy(1, "'datacenter', '8.8.8.1', NULL, 0, 'open'")
        const machine = yield* proxy(2, "'residential', NULL, NULL, 0, 'open'")
        const closed = yield* proxy(3, "'datacenter', '8.8.8.3', NULL, 0, 'closed'")
        const rotated = yield* proxy(4, "'mobile', '8.8.8.4', 'ios', 3, 'open'")
        yield* proxy(5, "'mobile', '8.8.8.5', 'ios', 1, 'closed'")
        yield* sql`
          INSERT INTO order_event (id, order_id, kind, actor, occurred_at)
          VALUES (${randomUUID()}, ${rotated.reference}, 'rotated', 'session', ${at}::timestamptz + interval '1 hour')
        `
        return { user, open, machine, closed, rotated }
      }),
      Effect.fnUntraced(function* ({ closed, machine, open, rotated, user }) {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT proxy_id, host(exit_ip) AS exit_ip, extract(epoch FROM from_at - ${at})::int AS "from",
            extract(epoch FROM until_at - ${at})::int AS until FROM gateway_exit_hold ORDER BY port
        `
        assert.deepStrictEqual(
          [...rows],
          [
            { proxy_id: open.id, exit_ip: "8.8.8.1", from: 0, until: null },
            { proxy_id: machine.id, exit_ip: null, from: 0, until: null },
            { proxy_id: closed.id, exit_ip: "8.8.8.3", from: 0, until: 7200 },
            { proxy_id: rotated.id, exit_ip: "8.8.8.4", from: 3600, until: null }
          ]
        )
        const accounts = yield* sql`SELECT id FROM gateway_proxy WHERE account_id = ${user}`
        assert.sameMembers(
          accounts.map(({ id }) => id),
          [open.id, machine.id, rotated.id]
        )
      })
    )
  )
})
