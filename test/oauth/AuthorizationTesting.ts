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

/** Authorizations and connections over a fresh database; documents are fetched on this machine only. */
export const layer = own.pipe(
  Layer.provideMerge([TestDatabase.layer, TestOutbound.layer, RateLimit.layer]),
  Layer.provide(settings)
)

/** For what limits its callers: all come from one address. */
export const fromBrowser = Effect.provideService(
  HttpServerRequest.HttpServerRequest,
  HttpServerRequest.fromWeb(new Request(issuer))
)

/** A client straight in the database; one whose id is an address is verified. */
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

/** A session of this account, straight in the database. */
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

/** The person of this account, signed in at a browser of their own. */
const personOf = Effect.fnUntraced(function* (user_id: UserId) {
  return { user_id, session_id: yield* newSession(user_id), browser_hash: Secrets.digest(randomUUID()) }
})

/** Somebody signed in at a browser of their own. */
export const newPerson = Effect.flatMap(Fixtures.newUser, personOf)
type Person = Effect.Success<typeof newPerson>

/** The query of a request that nothing is wrong with, but for these changes; undefined leaves a parameter out. */
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

/** A request that waits at this person's browser; answers its id. */
export const begin = Effect.fnUntraced(function* (
  { browser_hash }: Person,
  client_id: string,
  changes: Record<string, string | undefined> = {}
) {
  const began = yield* Authorizations.use((all) => all.begin(query(client_id, changes), browser_hash)).pipe(fromBrowser)
  return began._tag === "Pending" ? began.id : yield* Effect.die(began)
})

/** What this person says to it: yes, but to nothing that spends. */
export const decide = (person: Person, authorization_id: string, changes: Partial<Decision> = {}) =>
  Consent.use((consent) =>
    consent.decide({
      ...person,
      authorization_id: AuthorizationId.make(authorization_id),
      approved: true,
      spending: false,
      client_address: "192.0.2.1",
      ...changes
    })
  )

/** Asks and says yes; answers the code. */
export const approve = Effect.fnUntraced(function* (
  person: Person,
  client_id: string,
  changes: Record<string, string | undefined> = {},
  decision: Partial<Decision> = {}
) {
  const decided = yield* decide(person, yield* begin(person, client_id, changes), decision)
  return decided._tag === "Redirect" ? answered(decided.location).code : yield* Effect.die(decided)
})

/** An app that this account connected at this moment. */
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

/** What was recorded of an account, the oldest first. */
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
