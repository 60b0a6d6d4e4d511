import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomUUID } from "node:crypto"
import type { UserId } from "../src/accounts/User.ts"
import type * as Browser from "../test/support/Browser.ts"
import * as Fixtures from "../test/support/Fixtures.ts"
import { request } from "../test/support/TestServer.ts"

const uuid = "([0-9a-f-]{36})"

const idIn = (page: Browser.Page, pattern: string) => new RegExp(pattern).exec(`${page.url}\n${page.text}`)?.[1] ?? ""

/** Connects an app, and begins to connect another. */
const connect = Effect.fnUntraced(function* (browser: ReturnType<typeof Browser.make>, origin: string) {
  const redirect_uri = "http://127.0.0.1:3999/callback"
  const { body } = yield* request("POST", "/oauth/register", {
    body: { client_name: "Pilot", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" }
  })
  const code_challenge = createHash("sha256").update(randomUUID()).digest("base64url")
  const asked = { response_type: "code", client_id: body.client_id, redirect_uri, code_challenge, state: "state" }
  const address = `${origin}/oauth/authorize?${new URLSearchParams({ ...asked, code_challenge_method: "S256" })}`
  yield* browser.open(address)
  yield* browser.submit({ decision: "approve" }, { action: "/consent/" })
  return idIn(yield* browser.open(address), `/consent/([^"?\\s]+)`)
})

/** Makes the things that only some pages show, and answers the ids of their addresses. */
export const make = Effect.fnUntraced(function* (
  browser: ReturnType<typeof Browser.make>,
  origin: string,
  user_id: UserId
) {
  const sql = yield* SqlClient.SqlClient
  const open = (path: string) => browser.open(`${origin}/app/${path}`)
  const endpoint = yield* Fixtures.newEndpoint(user_id)
  yield* open(`webhooks/${endpoint.id}`)
  yield* browser.submit({}, { action: "/test" })
  const [delivery] = yield* sql<{ id: string }>`SELECT id FROM webhook_delivery WHERE endpoint_id = ${endpoint.id}`
  yield* open("ip-check")
  const check_id = idIn(yield* browser.submit({ ip: "8.8.8.8", what: "check" }), `/ip-check/${uuid}`)
  const number = idIn(yield* open("wallet/invoices"), `/wallet/invoices/([^"?]+)`)
  const authorization_id = yield* connect(browser, origin)
  const [passkey_id, now] = [randomUUID(), DateTime.toDate(yield* DateTime.now)]
  yield* sql`
    INSERT INTO passkey (id, user_id, name, credential_id, public_key, sign_count, is_synced, created_at)
    VALUES (${passkey_id}, ${user_id}, 'Phone', ${randomUUID()}, ${randomUUID()}, 7, true, ${now})
  `
  const [grant] = yield* sql<{ id: string }>`SELECT id FROM oauth_grant WHERE user_id = ${user_id}`
  // A connection whose code is not redeemed ends after a minute.
  yield* sql`UPDATE oauth_connection SET expires_at = '2100-01-01' WHERE grant_id = ${grant?.id ?? ""}`
  return {
    endpoint_id: endpoint.id,
    delivery_id: delivery?.id ?? "",
    check_id,
    number,
    authorization_id,
    passkey_id,
    grant_id: grant?.id ?? ""
  }
})
