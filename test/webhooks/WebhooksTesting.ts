import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"

/** An account with an unrestricted API key. */
export const newOwner = Effect.gen(function* () {
  const user_id = yield* Fixtures.newUser
  const { key } = yield* ApiKeys.use((apiKeys) => apiKeys.create(user_id, { name: "key" }))
  return { user_id, key }
})

export const url = "https://hooks.example.com/proxies"

/** A request about webhooks: `ask(key)("POST", "/:id/test")`. */
export const ask = (key: string) => (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
  request(method, `/v1/webhooks${path}`, { key, ...(body === undefined ? {} : { body }) })

export const createEndpoint = Effect.fnUntraced(function* (key: string, settings: object = {}) {
  const { body } = yield* ask(key)("POST", "", { url, ...settings })
  return body
})

const start = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")

interface Recorded {
  readonly status?: string
  readonly attempt?: number
  /** Orders the log. */
  readonly minute?: number
  /** A given event instead of a new one. */
  readonly event_id?: string
  readonly is_test?: boolean
}

/** An event and its delivery, straight in the database. */
export const record = Effect.fnUntraced(function* (
  endpoint: { readonly id: string; readonly user_id: string },
  {
    event_id,
    is_test = false,
    minute = 0,
    status = "delivered",
    attempt = status === "abandoned" ? 5 : 1
  }: Recorded = {}
) {
  const sql = yield* SqlClient.SqlClient
  const at = DateTime.toDate(DateTime.add(start, { minutes: minute }))
  const event = event_id ?? SecureRandom.uuidV7Unsafe()
  if (event_id === undefined)
    yield* sql`INSERT INTO webhook_event ${sql.insert({
      id: event,
      user_id: endpoint.user_id,
      order_id: SecureRandom.uuidV7Unsafe(),
      is_test,
      change_source: "status_changed",
      host: "198.51.100.7",
      port: 20_001,
      protocol: "SOCKS5",
      status: "expiring",
      previous_status: is_test ? null : "active",
      expires_at: null,
      occurred_at: at
    })}`
  const id = SecureRandom.uuidV7Unsafe()
  const isPending = status === "pending"
  yield* sql`INSERT INTO webhook_delivery ${sql.insert({
    id,
    endpoint_id: endpoint.id,
    event_id: event,
    status,
    attempt,
    next_attempt_at: isPending ? at : null,
    created_at: at,
    finished_at: isPending ? null : at
  })}`
  return { id, event_id: event }
})

/** The attempts of a delivery: their answers, or null without an outcome. */
export const recordAttempts = Effect.fnUntraced(function* (
  delivery_id: string,
  answers: ReadonlyArray<{ duration_ms: number; status_code: number | null; error: string | null } | null>
) {
  const sql = yield* SqlClient.SqlClient
  for (const [index, answer] of answers.entries())
    yield* sql`INSERT INTO webhook_attempt ${sql.insert({
      delivery_id,
      attempt: index + 1,
      started_at: DateTime.toDate(DateTime.add(start, { minutes: index })),
      duration_ms: answer?.duration_ms ?? null,
      status_code: answer?.status_code ?? null,
      error: answer?.error ?? null
    })}`
})

export const statusesAt = Effect.fnUntraced(function* (endpoint_id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ status: string }>`
    SELECT status FROM webhook_delivery WHERE endpoint_id = ${endpoint_id} ORDER BY created_at, id
  `
  return rows.map(({ status }) => status)
})
