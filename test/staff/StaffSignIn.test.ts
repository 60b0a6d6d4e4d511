import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import * as Actor from "../../src/staff/Actor.ts"
import { StaffCredentials } from "../../src/staff/access/StaffCredentials.ts"
import { StaffSignIn } from "../../src/staff/access/StaffSignIn.ts"
import { Invites } from "../../src/staff/members/Invites.ts"
import type { Role } from "../../src/staff/Role.ts"
import * as TestApp from "../support/TestApp.ts"

const password = "a good password"

/** A request from an address, for services that read one. */
const from = <A, E, R>(effect: Effect.Effect<A, E, R>, address = "192.0.2.1") =>
  Effect.provideService(
    effect,
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": address } }))
  )

/** A person who has accepted an invitation. */
const invited = Effect.fnUntraced(function* (email: string, role: Role = "owner") {
  const invites = yield* Invites
  const { link } = yield* invites.create(Actor.cli("root"), { email, name: "Ada", role })
  return yield* invites.accept(new URL(link).searchParams.get("token") ?? "", password, "192.0.2.1")
})

const begin = (email: string, given = password) =>
  from(StaffSignIn.use((signIn) => signIn.begin({ email, password: given, user_agent: "a test" })))
const confirm = (secret: string, code: string) => from(StaffSignIn.use((signIn) => signIn.confirm(secret, code)))
const actorOf = (secret: string) =>
  from(
    Effect.map(
      StaffCredentials.use((credentials) => credentials.find(secret)),
      (found) => found
    )
  )
const codeNow = (secret: string) =>
  Effect.map(Clock.currentTimeMillis, (millis) => Totp.codeOf(secret, Totp.stepOf(millis)))

const world = (settings: Record<string, string> = {}) => TestApp.layer({ TRUST_PROXY: "1", ...settings })

layer(world())("The sign-in of staff", (it) => {
  it.effect("asks for the password, sets the authenticator app up at first, and then asks for its code", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const signIn = yield* StaffSignIn
      yield* invited("ada@example.com")
      assert.strictEqual((yield* Effect.flip(begin("ada@example.com", "wrong password")))._tag, "WrongStaffCredentials")
      assert.strictEqual((yield* Effect.flip(begin("eve@example.com")))._tag, "WrongStaffCredentials")

      const waiting = yield* begin("ada@example.com")
      assert.strictEqual((yield* actorOf(waiting))._tag, "None")
      const secret = (yield* signIn.waiting(waiting)).enrolment?.secret ?? ""
      assert.strictEqual((yield* Effect.flip(confirm(waiting, "000000")))._tag, "WrongStaffCode")
      const { recovery_codes, secret: session } = yield* confirm(waiting, yield* codeNow(secret))
      assert.lengthOf(recovery_codes, 10)
      assert.strictEqual((yield* actorOf(session))._tag, "Some")
      assert.strictEqual((yield* actorOf(waiting))._tag, "None")
      assert.strictEqual((yield* Effect.flip(signIn.waiting(waiting)))._tag, "SignInExpired")

      const second = yield* begin("ada@example.com")
      assert.isUndefined((yield* signIn.waiting(second)).enrolment)
      // The code of a step was accepted already.
      assert.strictEqual((yield* Effect.flip(confirm(second, yield* codeNow(secret))))._tag, "WrongStaffCode")
      yield* TestClock.adjust("30 seconds")
      const code = yield* codeNow(secret)
      const third = yield* begin("ada@example.com")
      const both = yield* Effect.all([Effect.result(confirm(second, code)), Effect.result(confirm(third, code))], {
        concurrency: 2
      })
      assert.deepStrictEqual(both.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])

      const [recovery = ""] = recovery_codes
      assert.isEmpty((yield* confirm(yield* begin("ada@example.com"), recovery)).recovery_codes)
      const used = yield* Effect.flip(confirm(yield* begin("ada@example.com"), recovery))
      assert.strictEqual(used._tag, "WrongStaffCode")
    })
  )

  it.effect("confirms a session again with password and code, and ends it", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const sql = yield* SqlClient.SqlClient
      const signIn = yield* StaffSignIn
      const { staff_id } = yield* invited("bob@example.com")
      const waiting = yield* begin("bob@example.com")
      const secret = (yield* signIn.waiting(waiting)).enrolment?.secret ?? ""
      const { secret: session } = yield* confirm(waiting, yield* codeNow(secret))
      const actor = Effect.map(actorOf(session), (found) => {
        assert(found._tag === "Some")
        return found.value.actor
      })
      yield* TestClock.adjust("20 minutes")
      const code = yield* codeNow(secret)
      const stepUp = (password: string, code: string) =>
        Effect.flatMap(actor, (by) => from(signIn.stepUp(session, by, { password, code })))
      assert.strictEqual((yield* Effect.flip(stepUp("wrong password", code)))._tag, "WrongStaffCredentials")
      assert.strictEqual((yield* Effect.flip(stepUp(password, "000000")))._tag, "WrongStaffCode")
      yield* stepUp(password, code)
      assert.deepStrictEqual((yield* actor).confirmed_at?.epochMilliseconds, yield* Clock.currentTimeMillis)
      yield* signIn.end(session, yield* actor)
      assert.strictEqual((yield* actorOf(session))._tag, "None")
      const events = yield* sql<{ action: string; outcome: string }>`
        SELECT action, outcome FROM audit_event WHERE staff_id = ${staff_id} ORDER BY id`
      assert.deepStrictEqual(
        events.map(({ action, outcome }) => `${action} ${outcome}`),
        ["invite.accept done", "session.enrol done", "session.begin done", "session.begin refused", "session.end done"]
      )
    })
  )

  it.effect("waits 10 minutes for a code, and forgets what has ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const signIn = yield* StaffSignIn
      yield* invited("carl@example.com")
      const waiting = yield* begin("carl@example.com")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Effect.flip(signIn.waiting(waiting)))._tag, "SignInExpired")
      yield* TestClock.adjust("12 hours")
      yield* signIn.clean
      assert.isEmpty(yield* sql`SELECT FROM staff_session`)
    })
  )
})

/** The outcome of a sign-in from an address. */
const guess = (email: string, given: string, address: string) =>
  from(
    StaffSignIn.use((signIn) => signIn.begin({ email, password: given, user_agent: "" })),
    address
  ).pipe(
    Effect.result,
    Effect.map((result) => (result._tag === "Failure" ? result.failure._tag : "in"))
  )

/** A person who has set up an authenticator app, with its secret and the recovery codes. */
const enrolled = Effect.fnUntraced(function* (email: string) {
  yield* invited(email)
  const waiting = yield* begin(email)
  const secret = (yield* StaffSignIn.use((signIn) => signIn.waiting(waiting))).enrolment?.secret ?? ""
  const { recovery_codes, secret: session } = yield* confirm(waiting, yield* codeNow(secret))
  yield* TestClock.adjust("30 seconds")
  return { secret, recovery_codes, session }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (result._tag === "Failure" ? result.failure._tag : "in"))

layer(world({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limits of the sign-in", (it) => {
  it.effect("allow 5 wrong passwords of one email from one network in 15 minutes, and other networks as before", () =>
    Effect.gen(function* () {
      yield* invited("ada@example.com")
      for (let n = 0; n < 5; n++)
        assert.strictEqual(yield* guess("ada@example.com", "wrong password", "192.0.2.1"), "WrongStaffCredentials")
      assert.strictEqual(yield* guess("ada@example.com", password, "192.0.2.1"), "RateLimited")
      assert.strictEqual(yield* guess("ada@example.com", password, "192.0.2.2"), "in")
      assert.strictEqual(yield* guess("bob@example.com", password, "192.0.2.1"), "WrongStaffCredentials")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* guess("ada@example.com", password, "192.0.2.1"), "in")
    })
  )

  it.effect("allow 50 wrong passwords from one network", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 50; n++)
        assert.strictEqual(yield* guess(`${n}@example.com`, password, "203.0.113.1"), "WrongStaffCredentials")
      assert.strictEqual(yield* guess("other@example.com", password, "203.0.113.1"), "RateLimited")
    })
  )

  it.effect("only slow down the owner whose password strangers guess from many networks", () =>
    Effect.gen(function* () {
      const { secret } = yield* enrolled("eve@example.com")
      for (let n = 0; n < 50; n++)
        assert.strictEqual(yield* guess("eve@example.com", "wrong password", `10.0.${n}.1`), "WrongStaffCredentials")
      const slowed = yield* Effect.forkChild(begin("eve@example.com"))
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(slowed.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const waiting = yield* Fiber.join(slowed)
      assert.strictEqual(yield* tagOf(confirm(waiting, yield* codeNow(secret))), "in")
    })
  )

  it.effect("allow 5 wrong codes of one sign-in, which leave other sign-ins and the session of the person alone", () =>
    Effect.gen(function* () {
      const { secret, session } = yield* enrolled("fay@example.com")
      const other = yield* begin("fay@example.com")
      for (let n = 0; n < 5; n++) assert.strictEqual(yield* tagOf(confirm(other, "000000")), "WrongStaffCode")
      assert.strictEqual(yield* tagOf(confirm(other, yield* codeNow(secret))), "RateLimited")
      const found = yield* actorOf(session)
      assert(found._tag === "Some")
      const stepUp = (given: string, code: string) =>
        tagOf(from(StaffSignIn.use((signIn) => signIn.stepUp(session, found.value.actor, { password: given, code }))))
      for (let n = 0; n < 4; n++) assert.strictEqual(yield* stepUp("wrong password", ""), "WrongStaffCredentials")
      assert.strictEqual(yield* stepUp(password, yield* codeNow(secret)), "in")
      assert.strictEqual(yield* stepUp("wrong password", ""), "WrongStaffCredentials")
      assert.strictEqual(yield* stepUp(password, yield* codeNow(secret)), "RateLimited")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* tagOf(confirm(yield* begin("fay@example.com"), yield* codeNow(secret))), "in")
    })
  )

  it.effect("stop the app of a person after 50 wrong codes in a day, and take recovery codes", () =>
    Effect.gen(function* () {
      const { recovery_codes, secret } = yield* enrolled("gil@example.com")
      for (let n = 0; n < 10; n++) {
        const stolen = yield* begin("gil@example.com")
        for (let m = 0; m < 5; m++) assert.strictEqual(yield* tagOf(confirm(stolen, "000000")), "WrongStaffCode")
      }
      assert.strictEqual(yield* tagOf(confirm(yield* begin("gil@example.com"), yield* codeNow(secret))), "RateLimited")
      assert.strictEqual(yield* tagOf(confirm(yield* begin("gil@example.com"), recovery_codes[0] ?? "")), "in")
    })
  )
})

layer(world())("Two first sign-ins of one person", (it) => {
  it.effect("have secrets of their own, and the confirmed one becomes the person's", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const signIn = yield* StaffSignIn
      yield* invited("ada@example.com")
      const [thief, owner] = [yield* begin("ada@example.com"), yield* begin("ada@example.com")]
      const stolen = (yield* signIn.waiting(thief)).enrolment?.secret ?? ""
      const secret = (yield* signIn.waiting(owner)).enrolment?.secret ?? ""
      assert.notStrictEqual(stolen, secret)
      assert.strictEqual((yield* signIn.waiting(thief)).enrolment?.secret, stolen)
      yield* confirm(owner, yield* codeNow(secret))
      assert.isUndefined((yield* signIn.waiting(thief)).enrolment)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* tagOf(confirm(thief, yield* codeNow(stolen))), "WrongStaffCode")
      assert.strictEqual(yield* tagOf(confirm(thief, yield* codeNow(secret))), "in")
    })
  )
})
