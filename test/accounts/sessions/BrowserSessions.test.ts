import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { BrowserSessions } from "../../../src/accounts/sessions/BrowserSessions.ts"
import { PasswordChanges } from "../../../src/accounts/passwords/PasswordChanges.ts"
import { Sessions } from "../../../src/accounts/sessions/Sessions.ts"
import { SignIn } from "../../../src/accounts/sign-in/SignIn.ts"
import { SignUp } from "../../../src/accounts/sign-in/SignUp.ts"
import { UserId } from "../../../src/accounts/User.ts"
import { Users } from "../../../src/accounts/users/Users.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as Locks from "../../support/Locks.ts"
import { layer as services } from "../AccountServices.ts"

const password = "correct horse battery staple"
let registered = 0

/** A person who registered in a browser: the cookie and its account. */
const newPerson = Effect.gen(function* () {
  const email = `browser${++registered}@example.com`
  const { session: cookie } = yield* SignUp.use((signUp) => signUp.inBrowser({ email, password, language: "de" }))
  const { session_id, user } = Option.getOrThrow(yield* BrowserSessions.use((sessions) => sessions.find(cookie)))
  return { email, cookie, session_id, user }
})

const signIn = (email: string, password: string) =>
  Effect.map(
    SignIn.use((signIn) => signIn.inBrowser(email, password, { hash: "0".repeat(64) })),
    ({ session }) => session
  )

const isSignedIn = (cookie: string) =>
  Effect.map(
    BrowserSessions.use((sessions) => sessions.find(cookie)),
    Option.isSome
  )

const hold = (session_id: string, user_id: UserId) => Sessions.use((sessions) => sessions.hold(session_id, user_id))

const expiryOf = Effect.fnUntraced(function* (session_id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ expires_at: Date }>`SELECT expires_at FROM user_session WHERE id = ${session_id}`
  return row?.expires_at.getTime()
})

const inDays = (days: number) => Effect.map(DateTime.now, (now) => DateTime.toEpochMillis(now) + days * 86_400_000)

layer(services)("Browser sessions", (it) => {
  it.effect("a person registers and signs in with a browser under the same rules as with the API", () =>
    Effect.gen(function* () {
      const { cookie, email, user } = yield* newPerson
      assert.match(cookie, /^pbs_[\w-]{43}$/)
      assert.deepInclude(user, { email, email_verified: false, is_anonymous: false, language: "de" })
      const again = yield* Effect.flip(SignUp.use((signUp) => signUp.inBrowser({ email, password, language: "de" })))
      assert.strictEqual(again._tag, "EmailTaken")
      const wrong = yield* Effect.flip(signIn(email, "wrong password"))
      assert.strictEqual(wrong._tag, "WrongCredentials")
      const other = yield* signIn(email, password)
      assert.strictEqual(Option.getOrThrow(yield* BrowserSessions.use(({ find }) => find(other))).user.id, user.id)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM email_outbox WHERE to_address = ${email}`, 1)
      assert.lengthOf(yield* sql`SELECT FROM user_session WHERE user_id = ${user.id}`, 2)
      assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM browser_session`), cookie.slice(4))
      assert.isFalse(yield* isSignedIn("pbs_nothing"))
    })
  )

  it.effect("signing out ends only that session of the account", () =>
    Effect.gen(function* () {
      const { cookie, email, session_id, user } = yield* newPerson
      const other = yield* signIn(email, password)
      yield* BrowserSessions.use((sessions) => sessions.end(cookie))
      assert.isFalse(yield* isSignedIn(cookie))
      assert.isFalse(yield* hold(session_id, user.id))
      assert.isTrue(yield* isSignedIn(other))
      yield* BrowserSessions.use((sessions) => sessions.end("pbs_nothing"))
    })
  )

  it.effect("a session ends when its person signs out everywhere, changes the password or deletes the account", () =>
    Effect.gen(function* () {
      const everywhere = yield* newPerson
      yield* Sessions.use((sessions) => sessions.endAll(everywhere.user.id))
      assert.isFalse(yield* isSignedIn(everywhere.cookie))

      const changed = yield* newPerson
      const kept = yield* signIn(changed.email, password)
      const { session_id } = Option.getOrThrow(yield* BrowserSessions.use(({ find }) => find(kept)))
      const change = { current_password: password, new_password: "another password" }
      yield* PasswordChanges.use((passwords) => passwords.change({ user_id: changed.user.id, session_id, ...change }))
      assert.deepStrictEqual([yield* isSignedIn(changed.cookie), yield* isSignedIn(kept)], [false, true])

      const deleted = yield* newPerson
      yield* Users.use((users) => users.remove(deleted.user.id, password))
      assert.isFalse(yield* isSignedIn(deleted.cookie))
      const sql = yield* SqlClient.SqlClient
      const ended = [everywhere.session_id, changed.session_id, deleted.session_id]
      assert.isEmpty(yield* sql`SELECT FROM browser_session WHERE ${sql.in("session_id", ended)}`)
    })
  )

  it.effect("a session lasts 30 days after its last use, which is recorded once in 5 minutes", () =>
    Effect.gen(function* () {
      const { cookie, session_id } = yield* newPerson
      const first = yield* inDays(30)
      yield* TestClock.adjust("299 seconds")
      assert.isTrue(yield* isSignedIn(cookie))
      assert.strictEqual(yield* expiryOf(session_id), first)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isSignedIn(cookie))
      assert.strictEqual(yield* expiryOf(session_id), yield* inDays(30))
      yield* TestClock.adjust("30 days")
      assert.isFalse(yield* isSignedIn(cookie))
    })
  )

  it.effect("only a live session of the account can be held", () =>
    Effect.gen(function* () {
      const { session_id, user } = yield* newPerson
      const stranger = yield* newPerson
      assert.isTrue(yield* hold(session_id, user.id))
      assert.isFalse(yield* hold(session_id, stranger.user.id))
      assert.isFalse(yield* hold(randomUUID(), user.id))
      assert.isFalse(yield* hold(session_id, UserId.make(randomUUID())))
      yield* TestClock.adjust("30 days")
      assert.isFalse(yield* hold(session_id, user.id))
    })
  )

  it.effect("a transaction that ends the account's sessions waits for a transaction that holds one", () =>
    Effect.gen(function* () {
      const { session_id, user } = yield* newPerson
      const held = yield* Locks.held(hold(session_id, user.id))
      const ending = yield* Effect.forkChild(Sessions.use((sessions) => sessions.endAll(user.id)))
      yield* Locks.waiting(1)
      yield* held.open
      const [live] = yield* Fiber.join(held.running)
      assert.isTrue(live)
      yield* Fiber.join(ending)
      assert.isFalse(yield* hold(session_id, user.id))
    })
  )

  it.effect("no session can be held after another transaction has ended it", () =>
    Effect.gen(function* () {
      const { session_id, user } = yield* newPerson
      const atomically = yield* Atomically
      const ending = yield* Locks.held(Sessions.use((sessions) => sessions.endAll(user.id)))
      const holding = yield* Effect.forkChild(atomically(hold(session_id, user.id)))
      yield* Locks.waiting(1)
      yield* ending.open
      yield* Fiber.join(ending.running)
      assert.isFalse(yield* Fiber.join(holding))
    })
  )
})
