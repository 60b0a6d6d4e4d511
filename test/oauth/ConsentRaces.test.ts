import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import { Sessions } from "../../src/accounts/sessions/Sessions.ts"
import { UsersRepo } from "../../src/accounts/UsersRepo.ts"
import { ConnectedApps } from "../../src/oauth/ConnectedApps.ts"
import { TokensRepo } from "../../src/oauth/TokensRepo.ts"
import * as Secrets from "../../src/platform/Secrets.ts"
import { held, waiting } from "../support/Locks.ts"
import { restrict } from "../support/Restricting.ts"
import {
  approve,
  begin,
  connectionsOf,
  decide,
  layer as domain,
  newClient,
  newPerson,
  newSession,
  type Person
} from "./AuthorizationTesting.ts"

const reasons = ["password_changed", "signed_out", "account_deleted", "restricted"] as const
type Reason = (typeof reasons)[number]
type Needed = CredentialsRepo | Restrictions | Sessions | SqlClient.SqlClient | UsersRepo

/** The operations that end the connections of an account, by their recorded reason. */
const endings: Record<Reason, (person: Person) => Effect.Effect<unknown, SqlError.SqlError, Needed>> = {
  password_changed: ({ user_id }) =>
    Effect.gen(function* () {
      const credentials = yield* CredentialsRepo
      yield* credentials.setPassword(user_id, "$argon2id$changed", yield* DateTime.now)
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM user_session WHERE user_id = ${user_id}`
    }),
  signed_out: ({ user_id }) => Sessions.use((sessions) => sessions.endAll(user_id)),
  account_deleted: ({ user_id }) =>
    Effect.flatMap(DateTime.now, (now) => UsersRepo.use((users) => users.erase(user_id, now))),
  restricted: ({ user_id }) => Effect.orDie(restrict(user_id, "ban"))
}

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))

/** Locks and changes the connection as a refresh does. */
const refresh = (connection_id: string) =>
  Effect.gen(function* () {
    const tokens = yield* TokensRepo
    const now = yield* DateTime.now
    yield* tokens.lockById(connection_id)
    const until = DateTime.add(now, { days: 30 })
    const token = { token_hash: Secrets.digest(randomUUID()), connection_id, used_at: null }
    yield* tokens.insertRefreshToken({ ...token, created_at: now, expires_at: until })
    yield* tokens.extend(connection_id, now, until)
  })

const revoke = ({ user_id }: Person, id: string) => ConnectedApps.use((apps) => apps.revoke(user_id, id))

const reasonsOf = (person: Person) =>
  Effect.map(connectionsOf(person), (connections) => connections.map(({ reason }) => reason))

const own = Layer.mergeAll(CredentialsRepo.layer, Restrictions.layer, TokensRepo.layer, UsersRepo.layer)

layer(own.pipe(Layer.provideMerge(domain)))("Concurrent decisions", (it) => {
  it.effect("one of many decisions about one request counts, and makes one code", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const another = { ...person, session_id: yield* newSession(person.user_id) }
      const id = yield* begin(person, client)
      const decisions = Array.from({ length: 16 }, (_, n) => decide(n % 2 === 0 ? person : another, id))
      const decided = yield* Effect.all(decisions, { concurrency: "unbounded" })
      assert.deepStrictEqual(decided.map(({ _tag }) => _tag).toSorted(), [
        ...Array.from({ length: 15 }, () => "Gone"),
        "Redirect"
      ])
      assert.strictEqual((yield* connectionsOf(person)).length, 1)
    })
  )

  it.effect("only one of two people in one browser decides", () =>
    Effect.gen(function* () {
      const [person, other, client] = [yield* newPerson, yield* newPerson, yield* newClient()]
      const id = yield* begin(person, client)
      const deciding = yield* held(decide(person, id))
      const second = yield* Effect.forkChild(decide({ ...other, browser_hash: person.browser_hash }, id))
      yield* waiting(1)
      yield* deciding.open
      yield* Fiber.join(deciding.running)
      assert.deepStrictEqual(yield* Fiber.join(second), { _tag: "Gone" })
      assert.isEmpty(yield* connectionsOf(other))
    })
  )

  it.effect("approvals of one app share one grant, with the scopes of one of them", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      const scopes = ["catalog:read", "wallet:read", "catalog:read orders:read", "account:read"]
      const waitingOnes = yield* Effect.forEach(scopes, (scope) => begin(person, client, { scope }))
      const decided = yield* Effect.forEach(waitingOnes, (id) => decide(person, id), { concurrency: "unbounded" })
      assert.isTrue(decided.every(({ _tag }) => _tag === "Redirect"))
      const connections = yield* connectionsOf(person)
      assert.strictEqual(connections.length, 4)
      assert.strictEqual(new Set(connections.map(({ grant_id }) => grant_id)).size, 1)
      assert.include(scopes, connections[0]?.scopes.join(" "))
    })
  )

  for (const reason of reasons) {
    it.effect(`an approval is ended by an operation that waited for it: ${reason}`, () =>
      Effect.gen(function* () {
        const [person, client] = [yield* newPerson, yield* newClient()]
        const id = yield* begin(person, client)
        const deciding = yield* held(decide(person, id))
        const ending = yield* Effect.forkChild(atomic(endings[reason](person)))
        yield* waiting(1)
        yield* deciding.open
        const [decided] = yield* Fiber.join(deciding.running)
        assert.strictEqual(decided._tag, "Redirect")
        yield* Fiber.join(ending)
        assert.deepStrictEqual(yield* reasonsOf(person), [reason])
      })
    )

    it.effect(`an approval that waited finds its session ended, and connects nothing: ${reason}`, () =>
      Effect.gen(function* () {
        const [person, client] = [yield* newPerson, yield* newClient()]
        const id = yield* begin(person, client)
        const ending = yield* held(endings[reason](person))
        const deciding = yield* Effect.forkChild(decide(person, id))
        yield* waiting(1)
        yield* ending.open
        yield* Fiber.join(ending.running)
        assert.deepStrictEqual(yield* Fiber.join(deciding), { _tag: "SignedOut" })
        assert.isEmpty(yield* connectionsOf(person))
      })
    )
  }

  it.effect("a refresh before the end of its connection does not outlive it", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      const [connection] = yield* connectionsOf(person)
      const refreshing = yield* held(refresh(connection?.id ?? ""))
      const revoking = yield* Effect.forkChild(revoke(person, connection?.grant_id ?? ""))
      yield* waiting(1)
      yield* refreshing.open
      yield* Effect.all([Fiber.join(refreshing.running), Fiber.join(revoking)])
      assert.deepStrictEqual(yield* reasonsOf(person), ["user"])
    })
  )

  it.effect("an approval and a disconnection of the app run one after the other", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      yield* approve(person, client)
      const [connection] = yield* connectionsOf(person)
      const id = yield* begin(person, client)
      const deciding = yield* held(decide(person, id))
      const revoking = yield* Effect.forkChild(revoke(person, connection?.grant_id ?? ""))
      yield* waiting(1)
      yield* deciding.open
      yield* Effect.all([Fiber.join(deciding.running), Fiber.join(revoking)])
      assert.deepStrictEqual(yield* reasonsOf(person), ["user", "user"])
    })
  )

  it.effect("concurrent operations that end many connections do not deadlock, and each connection ends once", () =>
    Effect.gen(function* () {
      const [person, client] = [yield* newPerson, yield* newClient()]
      for (let n = 0; n < 8; n++) yield* approve(person, client)
      const [connection] = yield* connectionsOf(person)
      const id = connection?.grant_id ?? ""
      const ways = [Effect.exit(revoke(person, id)), endings.signed_out(person), Effect.exit(revoke(person, id))]
      yield* Effect.all([...ways, ...ways, ...ways], { concurrency: "unbounded" })
      const sql = yield* SqlClient.SqlClient
      const [ended] = yield* sql<{ count: number; connections: number }>`
        SELECT count(*)::int AS count, count(DISTINCT connection_id)::int AS connections FROM oauth_event
        WHERE user_id = ${person.user_id} AND kind = 'revoked'
      `
      assert.deepStrictEqual(ended, { count: 8, connections: 8 })
    })
  )
})
