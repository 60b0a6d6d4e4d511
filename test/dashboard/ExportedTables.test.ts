import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountTable, accountTables } from "../../src/accounts/users/AccountTables.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** The tables that the export reads through the services of the API, with the list in the file. */
const byService: Readonly<Record<string, string>> = {
  user_account: "profile",
  billing_details: "billing",
  wallet: "wallets",
  wallet_transaction: "transactions",
  payment_intent: "payments",
  invoice: "invoices",
  proxy_order: "orders",
  ip_check: "ip_checks",
  api_key: "api_keys",
  auto_top_up: "auto_top_up",
  saved_card: "saved_cards",
  passkey: "passkeys",
  webhook_endpoint: "webhooks",
  notification: "notifications",
  oauth_grant: "connected_apps",
  oauth_connection: "connected_apps",
  oauth_client: "connected_apps",
  user_session: "sessions"
}

const secret = "a secret or its hash, and nothing else"
const short = "lives for minutes, and is no record"
const copy = "a copy or a sum of rows that are in the file"
const staffs = "records of staff; their ledger entries are in the file"
const operator = "belongs to the operator or to the machine, and names no account"

const staffRecord = "the operator's record of what its staff did"

/** The tables that an export leaves out, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  browser_session: secret,
  email_token: secret,
  oauth_refresh_token: secret,
  recovery_code: secret,
  refresh_token: secret,
  second_factor_setup: secret,
  signing_key: secret,
  email_outbox: "mails on their way; of a notice that could not be sent the subject, for a month",
  oauth_authorization: short,
  payment_origin: "lives for a day, and is no record",
  pending_sign_in: short,
  quoted_change: short,
  quoted_price: short,
  sandbox_payment: short,
  account_closure: "exists only for a deleted account",
  proxy_stop: "what a job still does for a restriction that is in the file",
  restriction_round: short,
  idempotency_key: "answers that the account has, kept for a day",
  gateway_cycle: copy,
  gateway_lease: copy,
  gateway_proxy: copy,
  ip_vendor_answer: copy,
  order_tally: copy,
  order_tally_change: copy,
  money: copy,
  money_day: copy,
  money_note: copy,
  money_record: copy,
  money_split: copy,
  money_split_day: copy,
  revenue_term: copy,
  payment_callback: "calls of gateways; the payments in them are in the file",
  payment_taken_back: copy,
  payment_claim: copy,
  gateway_refund: staffs,
  order_refund: staffs,
  order_release: staffs,
  order_refund_part: staffs,
  wallet_adjustment: staffs,
  staff_limit: operator,
  todo_item: operator,
  provider_calls: operator,
  sales_pause: operator,
  announcement: operator,
  customer_note: "notes of staff among themselves",
  vendor_balance: operator,
  customer_day: operator,
  deferred_day: operator,
  liability_day: operator,
  renewal_day: operator,
  provider_purchase: "purchases of the operator at its providers",
  answered_challenge: short,
  asked_price: operator,
  blocklist: operator,
  blocklist_part: operator,
  catalog_version: operator,
  effect_sql_migrations: operator,
  exit_address: operator,
  exit_pool: operator,
  gateway_article: operator,
  destination_rule: "rules of the operator; their reasons are not for customers",
  destination_rules_state: operator,
  gateway_connection: "lives for days; docs/abuse.md says how an owner learns of it",
  gateway_holder: operator,
  gateway_departure: operator,
  gateway_enrolment: secret,
  gateway_instance: operator,
  gateway_node: operator,
  gateway_node_status: operator,
  gateway_log_day: secret,
  gateway_port: operator,
  gateway_stock: operator,
  invoice_counter: operator,
  invoice_due: short,
  tax_rate: operator,
  ip_vendor_usage: operator,
  offer: operator,
  price_rule: operator,
  promo_code: operator,
  service_terms: operator,
  shop_state: operator,
  staff: operator,
  staff_invite: operator,
  staff_session: operator,
  staff_token: operator,
  staff_action: staffRecord,
  audit_event: staffRecord,
  audit_fault: staffRecord,
  audit_head: staffRecord,
  audit_link: staffRecord
}

const tables: ReadonlyArray<AccountTable> = Object.values(accountTables)

layer(TestDatabase.layer)("The tables of an export", (it) => {
  it.effect("are all tables of the database, but for those that are left out with a reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const known = [...tables.map(({ table }) => table), ...Object.keys(byService), ...Object.keys(leftOut)]
      const present = yield* sql<{ name: string }>`
        SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`
      assert.sameMembers(
        present.map(({ name }) => name),
        known
      )
      assert.lengthOf(known, new Set(known).size, "a table stands in one place")
    })
  )

  it.effect("have the columns of the export, and none with a secret", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const { columns, key, table } of tables) {
        const rows = yield* sql<{ name: string }>`
          SELECT column_name AS name FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = ${table}`
        assert.includeMembers(
          rows.map(({ name }) => name),
          [...columns],
          table
        )
        for (const name of columns) assert.notMatch(name, /hash|secret|token|password/, `${table}.${name}`)
        yield* sql`SELECT ${sql.literal(key)} FROM ${sql(table)} LIMIT 0`
      }
    })
  )
})
