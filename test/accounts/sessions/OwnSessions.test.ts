import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { BrowserSessions } from "../../../src/accounts/sessions/BrowserSessions.ts"
import { OwnSessions } from "../../../src/accounts/sessions/OwnSessions.ts"
import { Sessions } from "../../../src/accounts/sessions/Sessions.ts"
import { SignUp } from "../../../src/accounts/sign-in/SignUp.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as Locks from "../../support/Locks.ts"
import { request } from "../../support/TestServer.ts"
import { layer as services } from "../AccountServices.ts"
import { isSignedIn, layer as server, newPerson, password } from "../AccountsServer.ts"

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"

const login = (email: string, headers: Record<string, string> = {}) =>
  Effect.map(request("POST", "/v1/auth/login", { body: { email, password }, headers }), ({ body }) => body)

const refresh = (refresh_token: string, headers: Record<string, string> = {}) =>
  request("POST", "/v1/auth/refresh", { body: { refresh_token }, headers })

const sessionsOf = (user: string, query = "") =>
  Effect.map(request("GET", `/v1/auth/sessions${query}`, { user }), ({ body }) => body)

const iso = Effect.map(DateTime.now, DateTime.formatIso)

layer(server({ TRUST_PROXY: "1" }))("The sessions of an account", (it) => {
  it.effect("show the device, the address and the times of each, the last used first", () =>
    Effect.gen(function* () {
      const { access_token: user, email } = yield* newPerson
      const began = yield* iso
      yield* TestClock.adjust("1 minute")
      const other = yield* login(email, { "user-agent": firefox, "x-forwarded-for": "2001:db8:1:2:3::4" })
      const second = yield* iso
      const { sessions, ...rest } = yield* sessionsOf(user)
      assert.deepStrictEqual(rest, { total: 2, limit: 50, offset: 0 })
      const [{ id, ...newest }, first] = sessions
      assert.deepStrictEqual(newest, {
        is_current: false,
        browser: "Firefox",
        system: "Windows",
        user_agent: firefox,
        address: "2001:db8:1:2::/64",
        created_at: second,
        last_used_at: second,
        expires_at: DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 30 }))
      })
      assert.deepInclude(first, { is_current: true, created_at: began, last_used_at: began, address: "127.0.0.1" })
      const seenByOther = (yield* sessionsOf(other.access_token)).sessions
      assert.deepStrictEqual(
        seenByOther.map((one: any) => [one.id, one.is_current]),
        [
          [id, true],
          [first.id, false]
        ]
      )
      const { sessions: part, total } = yield* sessionsOf(user, "?limit=1&offset=1")
      assert.deepStrictEqual([part.map((one: any) => one.id), total], [[first.id], 2])
      yield* TestClock.adjust("30 days")
      const { access_token: later } = yield* login(email)
      assert.strictEqual((yield* sessionsOf(later)).total, 1)
    })
  )

  it.effect("record a use when their tokens are refreshed, with its client, and never in other requests", () =>
    Effect.gen(function* () {
      const { access_token: user, refresh_token } = yield* newPerson
      const { sessions } = yield* sessionsOf(user)
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(yield* isSignedIn(user))
      assert.deepStrictEqual((yield* sessionsOf(user)).sessions, sessions)
      yield* refresh(refresh_token, { "user-agent": "curl/8.14.1", "x-forwarded-for": "192.0.2.7" })
      const [session] = (yield* sessionsOf(user)).sessions
      assert.deepInclude(session, {
        id: sessions[0].id,
        browser: "curl",
        system: null,
        address: "192.0.2.7",
        created_at: sessions[0].created_at,
        last_used_at: yield* iso
      })
    })
  )

  it.effect("keep 400 characters of a User-Agent, whatever it contains", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      for (const [sent, kept] of [
        ["x".repeat(8_000), "x".repeat(400)],
        [`${"x".repeat(399)}  y`, "x".repeat(399)],
        ["   ", null],
        ["<script>é\u00ff", "<script>é\u00ff"]
      ] as const) {
        const { access_token } = yield* login(email, { "user-agent": sent })
        const { sessions } = yield* sessionsOf(access_token)
        assert.strictEqual(sessions.find((one: any) => one.is_current).user_agent, kept)
      }
    })
  )

  it.effect("end one by one: the tokens of the ended one stop at once, and the others stay", () =>
    Effect.gen(function* () {
      const { access_token: user, email } = yield* newPerson
      const other = yield* login(email)
      // Both are remembered before one ends.
      assert.deepStrictEqual([yield* isSignedIn(user), yield* isSignedIn(other.access_token)], [true, true])
      const { id } = (yield* sessionsOf(other.access_token)).sessions.find((one: any) => one.is_current)
      const ended = yield* request("DELETE", `/v1/auth/sessions/${id}`, { user })
      assert.deepStrictEqual([ended.status, ended.body], [204, null])
      assert.deepStrictEqual([yield* isSignedIn(user), yield* isSignedIn(other.access_token)], [true, false])
      assert.strictEqual((yield* refresh(other.refresh_token)).status, 401)
      const again = yield* request("DELETE", `/v1/auth/sessions/${id}`, { user })
      assert.deepStrictEqual(
        [again.status, again.body.detail],
        [404, "The session does not exist or has ended; GET /auth/sessions lists your sessions"]
      )
      const { sessions } = yield* sessionsOf(user)
      assert.strictEqual((yield* request("DELETE", `/v1/auth/sessions/${sessions[0].id}`, { user })).status, 204)
      assert.isFalse(yield* isSignedIn(user))
    })
  )

  it.effect("of another account look like unknown ones", () =>
    Effect.gen(function* () {
      const owner = yield* newPerson
      const { access_token: user } = yield* newPerson
      const [{ id }] = (yield* sessionsOf(owner.access_token)).sessions
      const answers = yield* Effect.forEach([id, randomUUID()], (one) =>
        Effect.map(request("DELETE", `/v1/auth/sessions/${one}`, { user }), ({ body, status }) => ({ body, status }))
      )
      assert.deepStrictEqual(answers[0], answers[1])
      assert.strictEqual(answers[0]?.status, 404)
      assert.isTrue(yield* isSignedIn(owner.access_token))
      assert.notInclude(JSON.stringify(yield* sessionsOf(user)), id)
    })
  )

  it.effect("end all at once, except the one that asks", () =>
    Effect.gen(function* () {
      const { access_token: user, email } = yield* newPerson
      const others = yield* Effect.forEach([1, 2], () => login(email))
      const stranger = yield* newPerson
      assert.strictEqual((yield* request("POST", "/v1/auth/logout-others", { user })).status, 204)
      for (const { access_token, refresh_token } of others) {
        assert.isFalse(yield* isSignedIn(access_token))
        assert.strictEqual((yield* refresh(refresh_token)).status, 401)
      }
      assert.deepStrictEqual([yield* isSignedIn(user), yield* isSignedIn(stranger.access_token)], [true, true])
      assert.strictEqual((yield* sessionsOf(user)).total, 1)
    })
  )
})

layer(services)("The end of a session", (it) => {
  it.effect("waits for what the session is about to approve, and refuses what it would approve later", () =>
    Effect.gen(function* () {
      const { session } = yield* SignUp.use((signUp) =>
        signUp.inBrowser({ email: "late@example.com", password, language: "en" })
      )
      const { session_id, user } = Option.getOrThrow(yield* BrowserSessions.use(({ find }) => find(session)))
      const hold = Sessions.use((sessions) => sessions.hold(session_id, user.id))
      const approval = yield* Locks.held(hold)
      const end = yield* Effect.forkChild(OwnSessions.use((own) => own.end(user.id, session_id)))
      yield* Locks.waiting(1)
      yield* approval.open
      assert.isTrue((yield* Fiber.join(approval.running))[0])
      yield* Fiber.join(end)
      assert.isFalse(yield* Atomically.use((atomically) => atomically(hold)))
    })
  )

  it.effect("also comes for a session that is older than the columns of its client", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { session } = yield* SignUp.use((signUp) =>
        signUp.inBrowser({ email: "old@example.com", password, language: "en" })
      )
      const { session_id, user } = Option.getOrThrow(yield* BrowserSessions.use(({ find }) => find(session)))
      yield* sql`UPDATE user_session SET last_used_at = NULL WHERE id = ${session_id}`
      const own = yield* OwnSessions
      const list = own.list(user.id, { limit: 10, offset: 0 })
      const [old] = (yield* list).sessions
      assert.deepStrictEqual([old?.last_used_at, old?.user_agent, old?.address], [old?.created_at, null, null])
      yield* TestClock.adjust("5 minutes")
      assert.isTrue(Option.isSome(yield* BrowserSessions.use(({ find }) => find(session))))
      assert.deepStrictEqual((yield* list).sessions[0]?.last_used_at, yield* DateTime.now)
      yield* own.end(user.id, session_id)
      assert.isTrue(Option.isNone(yield* BrowserSessions.use(({ find }) => find(session))))
    })
  )
})
