import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { connect } from "../oauth/AuthorizationTesting.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice } from "../support/Repricing.ts"
import { request } from "../support/TestServer.ts"
import { signedIn, verifyEmail } from "./DeskTesting.ts"
import { newPayoutId } from "../wallet/payouts/PayoutTesting.ts"
import { authorizeUrl, newClient, password } from "./PagesTesting.ts"

/** A text that only its owner may read. */
export const privateText = "a note that nobody else may read"

const firstOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows[0]?.id ?? ""

/** A signed-in person who owns one of everything that a form can change, and the ids of these. */
export const household = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* reprice(100)
  const person = yield* signedIn
  const { account, browser, user_id } = person
  const { token: user } = account
  yield* verifyEmail(user_id)
  yield* Fixtures.fund(user_id, 100_000_000n)
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    Effect.map(request("POST", `/v1/${path}`, { user, body, headers }), ({ body }) => body)

  const key = randomUUID()
  const endpoint = yield* post("webhooks", { url: "https://hooks.example.com/proxies" })
  const buy = Effect.fnUntraced(function* (name: string, more: object, headers = {}) {
    const offer_id = yield* Testing.offerId(name)
    const bought = yield* post("orders", { offer_id, payment_method: "wallet", notes: privateText, ...more }, headers)
    if (bought[0] === undefined) return yield* Effect.die(new Error(JSON.stringify(bought)))
    return bought[0].id as string
  })
  const order_id = yield* buy("Datacenter", {})
  const traffic_id = yield* buy("Residential", { bandwidth_gb: 50 })
  const mobile_id = yield* buy("Mobile", { tarification_index: 1 })
  const unpaid = { payment_method: "card_gateway" }
  const unpaid_id = yield* buy("Datacenter", unpaid, { "idempotency-key": key })
  yield* Notifications.use(({ add }) =>
    add([{ user_id, kind: "proxy_renewed", order_id: null, message: () => privateText }])
  )
  yield* connect(user_id)
  yield* browser.open(authorizeUrl(yield* newClient()))
  const authorization_id = /consent\/([^?]+)/.exec(browser.page()?.url ?? "")?.[1] ?? ""
  const deposit = yield* post("payments/deposits", { amount: 5, currency: "USD", payment_method: "card_gateway" })

  const asked = { id: newPayoutId(), user_id, amount: 10_000_000n, destination: privateText, password, otp: undefined }
  const payout_id = yield* Payouts.use((payouts) =>
    Effect.flatMap(payouts.request(asked), ({ id }) => Effect.as(payouts.cancel(user_id, id), id))
  )

  const [card_id, passkey_id] = [randomUUID(), randomUUID()]
  yield* sql`
    INSERT INTO saved_card ${sql.insert({
      id: card_id,
      user_id,
      customer_reference: `cus_${card_id}`,
      card_reference: `pm_${card_id}`,
      brand: "visa",
      last_digits: "4242",
      expiry_month: 12,
      expiry_year: 2999,
      created_at: new Date(0)
    })}`
  yield* sql`
    INSERT INTO passkey ${sql.insert({
      id: passkey_id,
      user_id,
      name: privateText.slice(0, 60),
      credential_id: passkey_id,
      public_key: "AA",
      sign_count: 0,
      is_synced: false,
      created_at: new Date(0)
    })}`
  const [order] = yield* sql<{ expires_at: Date }>`SELECT expires_at FROM proxy_order WHERE id = ${order_id}`

  const ids: Record<string, string> = {
    card_id,
    passkey_id,
    payout_id,
    order_id,
    traffic_id,
    mobile_id,
    unpaid_id,
    key,
    authorization_id,
    payment_intent_id: deposit.payment_intent_id,
    offer_id: String(yield* Testing.offerId("Datacenter")),
    key_id: (yield* post("api-keys", { name: privateText })).id,
    link_id: (yield* post("download-links", { name: privateText, format: "txt" })).id,
    endpoint_id: endpoint.id,
    delivery_id: firstOf(
      yield* sql<{ id: string }>`SELECT id FROM webhook_delivery WHERE endpoint_id = ${endpoint.id}`
    ),
    grant_id: firstOf(yield* sql<{ id: string }>`SELECT id FROM oauth_grant WHERE user_id = ${user_id}`),
    notification_id: firstOf(yield* sql<{ id: string }>`SELECT id FROM notification WHERE user_id = ${user_id}`),
    session_id: firstOf(
      yield* sql<{ id: string }>`
        SELECT s.id FROM user_session s LEFT JOIN browser_session b ON b.session_id = s.id
        WHERE s.user_id = ${user_id} AND b.session_id IS NULL ORDER BY s.created_at LIMIT 1`
    )
  }
  return { ...person, ids, ends: order?.expires_at.toISOString() ?? "" }
})

export type Household = Effect.Success<typeof household>

/** Tables that every request may change, and the prices that a page showed. */
const unwatched = [
  "quoted_change",
  "quoted_price",
  "order_tally",
  "order_tally_change",
  "catalog_version",
  "gateway_lease",
  "gateway_instance"
]

/** Reads the sum of every table of the database, to see whether a request changed anything. */
export const snapshot = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`
  const sums = tables
    .filter(({ name }) => !unwatched.includes(name))
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS sum FROM ${name} t`
    )
  const rows = yield* sql.unsafe<{ name: string; sum: string }>(sums.join(" UNION ALL "))
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
})
