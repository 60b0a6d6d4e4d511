import { DateTime, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import type { TodoKind } from "../../../src/staff/todo/Todo.ts"
import { fund, newEndpoint, newUser } from "../../support/Fixtures.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { request } from "../../support/TestServer.ts"

/** A customer with a delivered order, and one whose provider does not answer: their ids. */
const customer = Effect.gen(function* () {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const user_id = yield* newUser
  yield* fund(user_id, 10_000_000n)
  const { key } = yield* ApiKeys.use((keys) => keys.create(user_id, { name: "key" }))
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const offer_id = catalog.kinds.find((kind: any) => kind.kind === "datacenter").offers[0].id
  const buy = Effect.map(
    request("POST", "/v1/orders", { key, body: { offer_id, payment_method: "wallet" } }),
    ({ body }) => body[0].id as string
  )
  const order_id = yield* buy
  const provider = yield* MemoryProvider
  provider.next("unavailable")
  return { user_id, order_id, late_id: yield* buy }
})

/** Runs statements that no constraint between tables and no trigger sees. */
const plainly = Effect.fnUntraced(function* (...statements: ReadonlyArray<Statement.Fragment>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      for (const statement of statements) yield* sql`${statement}`
    })
  )
})

/** What a cause of an item leads to: its record, and the statement with which the cause ends. */
interface Planted {
  readonly kind: TodoKind
  readonly id: string
  /** Ends the cause; absent: only a person can settle it. */
  readonly end?: Statement.Fragment
}

/** Records that wait for a person, one for each kind. All are older than the patience of their kind. */
export const plants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { late_id, order_id, user_id } = yield* customer
  const now = yield* DateTime.now
  const at = DateTime.toDate(DateTime.subtract(now, { days: 20 }))
  const later = DateTime.toDate(DateTime.add(now, { days: 2 }))
  const id = Object.fromEntries(
    [
      "orphan",
      "unknown",
      "change",
      "refund",
      "request",
      "leaving",
      "callback",
      "credit",
      "mail",
      "payout",
      "pause"
    ].map((name) => [name, randomUUID()])
  ) as Record<string, string>
  const attempt = { order_id, provider: "memory", started_at: at, finished_at: at, look_at: at, detail: "proxy 7" }
  const refund = {
    order_id,
    user_id,
    currency: "USD",
    amount: 1,
    kind: "amount",
    destination: "gateway",
    ends_service: true,
    reason_code: "other",
    reason: "A test",
    computed: '{"used_gb": null, "terms": []}',
    is_over_limit: true,
    created_by: "someone",
    created_by_name: "Some One",
    created_by_role: "support",
    created_at: at,
    expires_at: later
  }
  const decided = { status: "booked", decided_by: "other", decided_by_name: "Other", decided_at: at }
  const endpoint = yield* newEndpoint(user_id, { failing_since: at, failure_warned_at: at })
  yield* sql`UPDATE proxy_order SET updated_at = ${at} WHERE id = ${late_id}`
  yield* plainly(
    sql`INSERT INTO provisioning_attempt ${sql.insert({ ...attempt, id: id["orphan"], outcome: "orphaned" })}`,
    sql`INSERT INTO provisioning_attempt ${sql.insert({ ...attempt, id: id["unknown"], outcome: "abandoned" })}`,
    sql`INSERT INTO order_refund ${sql.insert({ ...refund, id: id["request"], status: "requested" })}`,
    sql`INSERT INTO order_refund ${sql.insert({ ...refund, ...decided, id: id["refund"], release_at: at })}`,
    sql`INSERT INTO gateway_refund ${sql.insert({
      id: id["leaving"],
      order_refund_id: id["refund"],
      payment_method: "card_gateway",
      charge_id: "ch_1",
      user_id,
      currency: "USD",
      amount: 1,
      withdrawal_id: randomUUID(),
      status: "unknown",
      look_at: later,
      sent_at: at,
      created_at: at,
      updated_at: at
    })}`,
    sql`INSERT INTO wallet_adjustment ${sql.insert({
      id: id["credit"],
      user_id,
      currency: "USD",
      amount: 5,
      cause: "goodwill",
      reason_code: "other",
      reason: "A test",
      status: "requested",
      is_over_limit: true,
      created_by: "someone",
      created_by_name: "Some One",
      created_by_role: "support",
      created_at: at,
      expires_at: later
    })}`,
    sql`INSERT INTO payout ${sql.insert({
      id: id["payout"],
      user_id,
      currency: "USD",
      amount: 5,
      destination: "Somewhere",
      status: "requested",
      withdrawal_id: randomUUID(),
      created_at: at
    })}`,
    sql`INSERT INTO payment_charge ${sql.insert({
      payment_method: "card_gateway",
      charge_id: "ch_1",
      payment_intent_id: randomUUID(),
      transaction_id: randomUUID(),
      user_id,
      currency: "USD",
      amount: 25,
      created_at: at
    })}`,
    sql`INSERT INTO payment_reversal ${sql.insert({
      payment_method: "card_gateway",
      reversal_id: "du_1",
      charge_id: "ch_1",
      user_id,
      currency: "USD",
      kind: "dispute",
      status: "taken",
      amount: 5,
      debited: 0,
      dispute_state: "needs_answer",
      reason: "fraudulent",
      answer_by: later,
      created_at: at,
      updated_at: at
    })}`,
    sql`INSERT INTO payment_callback ${sql.insert({
      id: id["callback"],
      payment_method: "card_gateway",
      headers: "{}",
      body: new Uint8Array(1),
      outcome: "unmatched",
      received_at: at,
      processed_at: at
    })}`,
    sql`
      INSERT INTO email_outbox (id, to_address, kind, language, subject, text, attempt, next_attempt_at, created_at,
        given_up_at, failure)
      VALUES (${id["mail"]}, ${`${user_id}@example.com`}, 'notice', 'en', 'Hello', '', 9, 'infinity', ${at}, ${at}, 'refused')
    `,
    sql`INSERT INTO proxy_stop ${sql.insert({ order_id, task: "stop", try_at: later, detail: "it refused", created_at: at, updated_at: at })}`,
    sql`INSERT INTO vendor_balance ${sql.insert({ provider: "iproyal", balance_usd: 1_500_000, low_since: at, read_at: at })}`,
    sql`INSERT INTO sales_pause ${sql.insert({
      id: id["pause"],
      scope: "kind",
      scope_id: "mobile",
      reason: "An outage",
      placed_by: "someone",
      placed_at: at,
      until_at: DateTime.toDate(DateTime.subtract(now, { days: 1 })),
      lifted_at: DateTime.toDate(DateTime.subtract(now, { days: 1 })),
      lifted_by: "service",
      lift_reason: "Its time is over"
    })}`
  )
  const remove = (table: string, column: string, value: string) =>
    sql`DELETE FROM ${sql(table)} WHERE ${sql(column)} = ${value}`
  const planted: ReadonlyArray<Planted> = [
    { kind: "orphan", id: id["orphan"]! },
    {
      kind: "unknown_order",
      id: id["unknown"]!,
      end: sql`UPDATE provisioning_attempt SET outcome = 'refused' WHERE id = ${id["unknown"]}`
    },
    { kind: "late_order", id: late_id, end: sql`UPDATE proxy_order SET updated_at = ${later} WHERE id = ${late_id}` },
    { kind: "proxy_stop", id: order_id, end: remove("proxy_stop", "order_id", order_id) },
    {
      kind: "proxy_release",
      id: id["refund"]!,
      end: sql`UPDATE order_refund SET release_at = NULL WHERE id = ${id["refund"]}`
    },
    {
      kind: "unknown_refund",
      id: id["leaving"]!,
      end: sql`UPDATE gateway_refund SET status = 'succeeded', look_at = NULL WHERE id = ${id["leaving"]}`
    },
    { kind: "callback", id: id["callback"]! },
    {
      kind: "credit_request",
      id: id["credit"]!,
      end: sql`UPDATE wallet_adjustment SET status = 'expired', decided_at = ${later} WHERE id = ${id["credit"]}`
    },
    {
      kind: "refund_request",
      id: id["request"]!,
      end: sql`UPDATE order_refund SET status = 'expired', decided_at = ${later} WHERE id = ${id["request"]}`
    },
    {
      kind: "payout",
      id: id["payout"]!,
      end: sql`
        UPDATE payout SET status = 'cancelled', settled_at = ${later}, return_id = gen_random_uuid()
        WHERE id = ${id["payout"]}
      `
    },
    {
      kind: "dispute",
      id: "du_1",
      end: sql`UPDATE payment_reversal SET dispute_state = 'lost' WHERE reversal_id = 'du_1'`
    },
    {
      kind: "webhook",
      id: endpoint.id,
      end: sql`UPDATE webhook_endpoint SET failing_since = NULL, failure_warned_at = NULL WHERE id = ${endpoint.id}`
    },
    { kind: "mail", id: id["mail"]!, end: remove("email_outbox", "id", id["mail"]!) },
    {
      kind: "vendor_balance",
      id: "iproyal",
      end: sql`UPDATE vendor_balance SET low_since = NULL WHERE provider = 'iproyal'`
    },
    {
      kind: "pause_ended",
      id: id["pause"]!,
      end: sql`
        UPDATE sales_pause SET lifted_at = lifted_at - interval '7 days', until_at = until_at - interval '7 days'
        WHERE id = ${id["pause"]}
      `
    }
  ]
  return {
    planted,
    user_id,
    order_id,
    endOf: (one: Planted) => (one.end === undefined ? Effect.void : plainly(one.end))
  }
})
