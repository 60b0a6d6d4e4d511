import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Sessions } from "../../src/accounts/sessions/Sessions.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { Authorizations } from "../../src/oauth/Authorizations.ts"
import { AuthorizationId } from "../../src/oauth/AuthorizationsRepo.ts"
import { ConnectedApps } from "../../src/oauth/ConnectedApps.ts"
import { Consent, type Decision } from "../../src/oauth/Consent.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as TestOutbound from "../support/TestOutbound.ts"

export const issuer = "https://proxies.test"
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const callback = "https://app.test/cb"

const settings = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PUBLIC_URL: issuer }))

const own = Layer.mergeAll(Authorizations.layer, ConnectedApps.layer, Consent.layer, Sessions.layer)

/** Authorizations and connections over a fresh database. Fetches documents on this machine only. */
export const layer = own.pipe(
  Layer.provideMerge([TestDatabase.layer, TestOutbound.layer, RateLimit.layer]),
  Layer.provide(settings)
)

/** A request for the rate limits: all callers share one address. */
export const fromBrowser = Effect.provideService(
  HttpServerRequest.HttpServerRequest,
  HttpServerRequest.fromWeb(new Request(issuer))
)

/** Inserts a client into the database; a client with an address as id is verified. */
export const newClient = Effect.fnUntraced(function* (fields: { id?: string; [column: string]: unknown } = {}) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  const id = fields.id ?? `dcr_${randomUUID()}`
  const is_verified = !id.startsWith("dcr_")
  yield* sql`INSERT INTO oauth_client ${sql.insert({
    id,
    is_verified,
    name: "App",
    redirect_uris: [callback, "http://127.0.0.1/cb", "com.example.app:/cb"],
    grant_types: ["authorization_code", "refresh_token"],
    application_type: "native",
    token_endpoint_auth_method: "none",
    fresh_until: is_verified ? new Date("2100-01-01") : null,
    created_at: now,
    last_used_at: now,
    ...fields
  })}`
  return id
})

/** Inserts a session of this account into the database. */
export const newSession = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const id = randomUUID()
  yield* sql`INSERT INTO user_session ${sql.insert({
    id,
    user_id,
    created_at: DateTime.toDate(now),
    expires_at: DateTime.toDate(DateTime.add(now, { days: 30 }))
  })}`
  return id
})

/** A person who is signed in in a browser. */
export interface Person {
  readonly user_id: UserId
  readonly session_id: string
  readonly browser_hash: string
}

/** The person of this account, signed in in a new browser. */
const personOf = Effect.fnUntraced(function* (user_id: UserId) {
  const person: Person = { user_id, session_id: yield* newSession(user_id), browser_hash: Secrets.digest(randomUUID()) }
  return person
})

/** A new person, signed in in a new browser. */
export const newPerson = Effect.flatMap(Fixtures.newUser, personOf)

/** Builds the query of a valid request with these changes; undefined removes a parameter. */
export const query = (client_id: string, changes: Record<string, string | undefined> = {}) => {
  const parameters = {
    response_type: "code",
    client_id,
    redirect_uri: callback,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "xyz",
    ...changes
  }
  return new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
}

/** Begins a request in this person's browser; returns its id. */
export const begin = Effect.fnUntraced(function* (
  { browser_hash }: Person,
  client_id: string,
  changes: Record<string, string | undefined> = {}
) {
  const began = yield* Authorizations.use((all) => all.begin(query(client_id, changes), browser_hash)).pipe(fromBrowser)
  return began._tag === "Pending" ? began.id : yield* Effect.die(began)
})

/** The person's decision to approve, without spending. */
export const decide = (person: Person, authorization_id: string, changes: Partial<Decision> = {}) =>
  Consent.use((consent) =>
    consent.decide({
      ...person,
      authorization_id: AuthorizationId.make(authorization_id),
      approved: true,
      spending: false,
      daily_spend_limit_usd: null,
      client_address: "192.0.2.1",
      ...changes
    })
  )

/** Begins a request and approves it; returns the code. */
export const approve = Effect.fnUntraced(function* (
  person: Person,
  client_id: string,
  changes: Record<string, string | undefined> = {},
  decision: Partial<Decision> = {}
) {
  const decided = yield* decide(person, yield* begin(person, client_id, changes), decision)
  return decided._tag === "Redirect" ? answered(decided.location).code : yield* Effect.die(decided)
})

/** Connects a new app to this account. */
export const connect = Effect.fnUntraced(function* (user_id: UserId) {
  yield* approve(yield* personOf(user_id), yield* newClient())
})

/** The parameters of a redirect. */
export const answered = (location: string): Record<string, string> => Object.fromEntries(new URL(location).searchParams)

/** The connections of an account, the oldest first. */
export const connectionsOf = ({ user_id }: Pick<Person, "user_id">) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{
      id: string
      grant_id: string
      code_hash: string
      scopes: ReadonlyArray<string>
      reason: string | null
    }>`
      SELECT c.id, c.grant_id, c.code_hash, g.scopes, c.revoked_reason AS reason
      FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
      WHERE g.user_id = ${user_id} ORDER BY c.created_at, c.id
    `
  )

/** The recorded events of an account, the oldest first. */
export const eventsOf = ({ user_id }: Pick<Person, "user_id">) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{
      kind: string
      scopes: ReadonlyArray<string> | null
      reason: string | null
      client_address: string | null
    }>`
      SELECT kind, scopes, reason, client_address FROM oauth_event WHERE user_id = ${user_id} ORDER BY id
    `
  )
