import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Clients } from "../src/oauth/Clients.ts"
import { CodeRedemption } from "../src/oauth/CodeRedemption.ts"
import { Addresses } from "../src/platform/settings/Addresses.ts"

const redirect_uri = "https://app.example.com/callback"
const scopes = ["catalog:read", "account:read", "orders:read", "wallet:read"]

const digest = (text: string, encoding: "hex" | "base64url") => createHash("sha256").update(text).digest(encoding)

/** The rows of an account's approval: a grant, a connection and its code. */
const approve = Effect.fnUntraced(function* (client_id: string) {
  const sql = yield* SqlClient.SqlClient
  const { mcp_url } = yield* Addresses
  const now = yield* DateTime.now
  const created_at = DateTime.toDate(now)
  const expires_at = DateTime.toDate(DateTime.add(now, { seconds: 60 }))
  const [user_id, grant_id, connection_id] = [randomUUID(), randomUUID(), randomUUID()]
  const [code, code_verifier] = [randomUUID(), randomBytes(32).toString("base64url")]
  yield* sql`INSERT INTO user_account ${sql.insert({
    id: user_id,
    email: `${user_id}@example.com`,
    email_verified: true,
    is_anonymous: false,
    referral_code: user_id.slice(-12),
    created_at,
    updated_at: created_at
  })}`
  yield* sql`INSERT INTO oauth_grant ${sql.insert({
    id: grant_id,
    user_id,
    client_id,
    resource: mcp_url,
    scopes,
    created_at,
    updated_at: created_at
  })}`
  yield* sql`INSERT INTO oauth_connection ${sql.insert({
    id: connection_id,
    grant_id,
    code_hash: digest(code, "hex"),
    code_challenge: digest(code_verifier, "base64url"),
    redirect_uri,
    code_expires_at: expires_at,
    expires_at,
    created_at
  })}`
  return { connection_id, code, code_verifier }
})

/** A connection with its first tokens, and its own app and account. */
export const connect = Effect.gen(function* () {
  const clients = yield* Clients
  const { client } = yield* clients.register({ redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" })
  const { code, code_verifier, connection_id } = yield* approve(client.id)
  const { access_token, refresh_token = "" } = yield* CodeRedemption.use((codes) =>
    codes.redeem(client, { code, code_verifier, redirect_uri, resource: undefined, client_address: "192.0.2.1" })
  )
  return { client, connection_id, access_token, refresh_token }
})
