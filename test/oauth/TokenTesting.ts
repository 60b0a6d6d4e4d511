import { PgClient } from "@effect/sql-pg"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import type { Scope } from "../../src/accounts/Scope.ts"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { AccessTokenVerifier } from "../../src/oauth/AccessTokenVerifier.ts"
import { ClientAuthentication } from "../../src/oauth/ClientAuthentication.ts"
import { Clients } from "../../src/oauth/Clients.ts"
import { ConnectedApps } from "../../src/oauth/ConnectedApps.ts"
import { CodeRedemption } from "../../src/oauth/CodeRedemption.ts"
import { OAuthEventsRepo } from "../../src/oauth/OAuthEventsRepo.ts"
import { OAuthLimits } from "../../src/oauth/OAuthLimits.ts"
import { TokenRefresh } from "../../src/oauth/TokenRefresh.ts"
import { TokenRevocation } from "../../src/oauth/TokenRevocation.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { ClientAddress } from "../../src/platform/requests/ClientAddress.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as TestOutbound from "../support/TestOutbound.ts"

export const redirectUri = "https://app.example.com/callback"
export const mcpUrl = "http://localhost:8080/mcp"
export const issuer = "http://localhost:8080"
const address = "192.0.2.7"

const digest = (text: string) => createHash("sha256").update(text).digest("hex")

const parts = Layer.mergeAll(
  AccessTokenVerifier.layer,
  ClientAuthentication.layer,
  Clients.layer,
  CodeRedemption.layer,
  ConnectedApps.layer,
  OAuthEventsRepo.layer,
  OAuthLimits.layer,
  SigningKeys.layer,
  TokenRefresh.layer,
  TokenRevocation.layer
)

/** The services that the OAuth services need. */
const outside = Layer.mergeAll(
  TestDatabase.layer,
  TestOutbound.layer,
  RateLimit.layer,
  Addresses.layer,
  ClientAddress.layer
)

/** The token services over a database of their own. */
export const layer = Layer.provideMerge(parts, outside)

/** Another instance of the service on the same database, with its own connections and its own memory. */
export const instance = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  const pool = Database.layerPool({ ...config, maxConnections: 8 }).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
  )
  const context = yield* Layer.build(Layer.fresh(Layer.provide(parts, pool)))
  return {
    tokens: {
      ...Context.get(context, CodeRedemption),
      ...Context.get(context, TokenRefresh),
      ...Context.get(context, TokenRevocation)
    },
    verify: Context.get(context, AccessTokenVerifier).verify
  }
})

interface ClientFields {
  readonly token_endpoint_auth_method?: "none" | "client_secret_post" | "client_secret_basic"
  readonly grant_types?: ReadonlyArray<"authorization_code" | "refresh_token">
}

/** Inserts a registered client into the database; returns its secret if it has one. */
export const newClient = Effect.fnUntraced(function* ({
  grant_types = ["authorization_code", "refresh_token"],
  token_endpoint_auth_method = "none"
}: ClientFields = {}) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  const [id, secret] = [`dcr_${randomUUID()}`, `pcs_${randomBytes(32).toString("base64url")}`]
  yield* sql`INSERT INTO oauth_client ${sql.insert({
    id,
    is_verified: false,
    name: "An app",
    redirect_uris: [redirectUri],
    grant_types: [...grant_types],
    application_type: "web",
    token_endpoint_auth_method,
    secret_hash: token_endpoint_auth_method === "none" ? null : digest(secret),
    created_at: now,
    last_used_at: now
  })}`
  const client = yield* Effect.flatMap(
    Clients.use((clients) => clients.find(id)),
    Effect.fromOption
  )
  return { ...client, secret }
})

export const reading: ReadonlyArray<Scope> = ["catalog:read", "account:read", "orders:read", "wallet:read"]

interface Approval {
  readonly client_id: string
  readonly user_id?: UserId
  readonly scopes?: ReadonlyArray<Scope>
  readonly resource?: string
}

/** Inserts the rows of a person's approval: a grant, a connection and its code. */
export const approve = Effect.fnUntraced(function* ({
  client_id,
  resource = mcpUrl,
  scopes = reading,
  ...approval
}: Approval) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const user_id = approval.user_id ?? (yield* Fixtures.newUser)
  const [connection_id, code, code_verifier] = [
    randomUUID(),
    `pac_${randomUUID()}`,
    randomBytes(32).toString("base64url")
  ]
  const [grant] = yield* sql<{ id: string }>`
    INSERT INTO oauth_grant ${sql.insert({
      id: randomUUID(),
      user_id,
      client_id,
      resource,
      scopes: [...scopes],
      created_at: DateTime.toDate(now),
      updated_at: DateTime.toDate(now)
    })}
    ON CONFLICT (user_id, client_id, resource) DO UPDATE SET scopes = EXCLUDED.scopes RETURNING id
  `
  const expires_at = DateTime.toDate(DateTime.add(now, { seconds: 60 }))
  yield* sql`INSERT INTO oauth_connection ${sql.insert({
    id: connection_id,
    grant_id: grant?.id ?? "",
    code_hash: digest(code),
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    redirect_uri: redirectUri,
    code_expires_at: expires_at,
    expires_at,
    created_at: DateTime.toDate(now)
  })}`
  return { user_id, connection_id, grant_id: grant?.id ?? "", code, code_verifier, client_id }
})

/** The parameters with which a client redeems a code. */
export const redemption = ({ code, code_verifier }: { readonly code: string; readonly code_verifier: string }) => ({
  code,
  code_verifier,
  redirect_uri: redirectUri,
  resource: undefined,
  client_address: address
})

/** The parameters with which a client refreshes. */
export const refreshing = (refresh_token: string | undefined, scope?: string) => ({
  refresh_token: refresh_token ?? "",
  scope,
  resource: undefined,
  client_address: address
})

/** Makes a connection in use: its client, its approval and its first tokens. */
export const connected = Effect.fnUntraced(function* (approval: Omit<Approval, "client_id"> = {}) {
  const client = yield* newClient()
  const approved = yield* approve({ ...approval, client_id: client.id })
  const tokens = yield* CodeRedemption.use(({ redeem }) => redeem(client, redemption(approved)))
  return { client, ...approved, ...tokens, refresh_token: tokens.refresh_token ?? "" }
})

/** The reason why a connection ended; null while it is live. */
export const revokedReason = (connection_id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ revoked_reason: string | null }>`SELECT revoked_reason FROM oauth_connection WHERE id = ${connection_id}`,
      ([row]) => row?.revoked_reason
    )
  )

/** The recorded events of an account, the oldest first. */
export const eventsOf = (user_id: UserId) =>
  Effect.map(
    OAuthEventsRepo.use((events) => events.list({ user_id, client_id: null, limit: 100 })),
    (events) => events.map(({ client_address, kind, reason }) => ({ kind, reason, client_address })).toReversed()
  )
