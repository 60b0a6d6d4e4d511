import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { RestrictionId } from "../../../src/accounts/restrictions/Restriction.ts"
import * as RestrictionExpiry from "../../../src/accounts/restrictions/RestrictionExpiry.ts"
import { Restrictions } from "../../../src/accounts/restrictions/Restrictions.ts"
import { lift, publicReason, restrict, wanted } from "../../support/Restricting.ts"
import { settled } from "../../support/Settled.ts"
import { request } from "../../support/TestServer.ts"
import * as AccountsServer from "../AccountsServer.ts"
import { isSignedIn, mailTo, mailedToken, newPerson, password } from "../AccountsServer.ts"

const domain = Layer.provideMerge(Restrictions.layer, AccountsServer.layer())

const login = (email: string, given = password) =>
  request("POST", "/v1/auth/login", { body: { email, password: given } })

const register = (email: string) => request("POST", "/v1/auth/register", { body: { email, password } })

const reset = (token: string) =>
  request("POST", "/v1/auth/password/reset", { body: { token, new_password: "another password" } })

const flagsOf = (user: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ access: boolean; service: boolean; spending: boolean }>`
      SELECT access_blocked AS access, service_blocked AS service,
        (SELECT bool_and(spending_blocked) FROM wallet WHERE user_id = a.id) AS spending
      FROM user_account a WHERE id = ${user}
    `
    return row
  })

const free = { access: false, service: false, spending: false }

/** A person with an API key. */
const programmer = Effect.gen(function* () {
  const person = yield* newPerson
  const created = yield* request("POST", "/v1/api-keys", { user: person.access_token, body: { name: "crawler" } })
  const { key } = created.body as { key: string }
  const read = request("GET", "/v1/users/me", { headers: { "x-api-key": key } })
  return { ...person, key, read }
})

/** Repeats a request until it has this status: the service hears of a change a moment after its commit. */
const answering = (read: ReturnType<typeof request>, status: number) =>
  Effect.repeat(Effect.andThen(settled, read), { until: (answer) => answer.status === status, times: 50 })

layer(domain)("A restriction", (it) => {
  it.effect.each([
    ["hold", { access: false, service: false, spending: true }],
    ["suspend", { access: false, service: true, spending: true }],
    ["ban", { access: true, service: true, spending: true }],
    ["lock", { access: true, service: false, spending: true }]
  ] as const)("%s sets the flags of its account, and of no other one, until it is lifted", ([preset, flags]) =>
    Effect.gen(function* () {
      const [{ user }, other] = [yield* newPerson, yield* newPerson]
      const { id } = yield* restrict(user.id, preset)
      assert.deepStrictEqual(yield* flagsOf(user.id), flags)
      assert.notStrictEqual((yield* flagsOf(other.user.id))?.spending, true)
      yield* lift(id)
      assert.deepStrictEqual(yield* flagsOf(user.id), free)
    })
  )

  it.effect("blocks what the other open ones of its account block, until the last one is lifted", () =>
    Effect.gen(function* () {
      const { user } = yield* newPerson
      const suspension = yield* restrict(user.id, "suspend")
      const ban = yield* restrict(user.id, "ban")
      yield* lift(ban.id)
      assert.deepStrictEqual(yield* flagsOf(user.id), { access: false, service: true, spending: true })
      yield* lift(suspension.id)
      assert.deepStrictEqual(yield* flagsOf(user.id), free)
    })
  )

  it.effect("is placed once, and its id stands for no other content", () =>
    Effect.gen(function* () {
      const { place } = yield* Restrictions
      const [{ email, user }, other] = [yield* newPerson, yield* newPerson]
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user.id}`
      const one = wanted(user.id, "suspend")
      const all = yield* Effect.all(
        Array.from({ length: 8 }, () => place(one)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all.map(({ placed_at }) => placed_at.epochMilliseconds)).size, 1)
      const told = (yield* mailTo(email)).map(({ subject }) => subject)
      assert.deepStrictEqual(
        told.filter((subject) => subject === "Your account was suspended"),
        ["Your account was suspended"]
      )
      for (const changed of [
        { ...one, preset: "ban" as const },
        { ...one, public_reason: "Another reason" },
        { ...one, placed_by: "bob" },
        { ...one, user_id: wanted(other.user.id, "hold").user_id },
        { ...one, until_at: DateTime.makeUnsafe("2100-01-01") }
      ])
        assert.strictEqual((yield* Effect.flip(place(changed)))._tag, "RestrictionIdReused")
      assert.isNull((yield* flagsOf(other.user.id))?.spending ?? null)
    })
  )

  it.effect("is lifted once, by one person for one reason", () =>
    Effect.gen(function* () {
      const restrictions = yield* Restrictions
      const { user } = yield* newPerson
      const { id } = yield* restrict(user.id, "hold")
      const first = yield* restrictions.lift(id, { by: "ada", reason: "Settled" })
      assert.deepStrictEqual(yield* restrictions.lift(id, { by: "ada", reason: "Settled" }), first)
      const again = yield* Effect.flip(restrictions.lift(id, { by: "bob", reason: "Settled" }))
      const unknown = yield* Effect.flip(
        restrictions.lift(RestrictionId.make(randomUUID()), { by: "a", reason: "Why" })
      )
      assert.deepStrictEqual([again._tag, unknown._tag], ["AlreadyLifted", "RestrictionNotFound"])
      assert.deepStrictEqual(yield* restrictions.list(first.user_id, { limit: 10 }), [first])
    })
  )

  it.effect("is refused for an unknown account, and with an end that has passed", () =>
    Effect.gen(function* () {
      const { user } = yield* newPerson
      const nobody = yield* Effect.flip(restrict(randomUUID(), "ban"))
      const past = yield* Effect.flip(restrict(user.id, "ban", { until_at: DateTime.makeUnsafe(0) }))
      assert.deepStrictEqual([nobody._tag, past._tag], ["UserNotFound", "RequestInvalid"])
      assert.isTrue(yield* isSignedIn((yield* login((yield* newPerson).email)).body.access_token))
    })
  )

  it.effect("ends by a job when its time is over, and leaves what another one blocks", () =>
    Effect.gen(function* () {
      const { user } = yield* newPerson
      const until_at = DateTime.add(yield* DateTime.now, { hours: 1 })
      yield* restrict(user.id, "suspend", { until_at })
      const hold = yield* restrict(user.id, "hold")
      yield* TestClock.adjust("59 minutes")
      yield* RestrictionExpiry.run
      assert.strictEqual((yield* flagsOf(user.id))?.service, true)
      yield* TestClock.adjust("1 minute")
      yield* RestrictionExpiry.run
      assert.deepStrictEqual(yield* flagsOf(user.id), { ...free, spending: true })
      yield* lift(hold.id)
      assert.deepStrictEqual(yield* flagsOf(user.id), free)
    })
  )

  it.effect("is a row that changes only by its lifting, and its table refuses the rest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* newPerson
      const { id } = yield* restrict(user.id, "hold")
      for (const change of [
        sql`UPDATE account_restriction SET public_reason = 'Another' WHERE id = ${id}`,
        sql`UPDATE account_restriction SET until_at = to_timestamp(4e9) WHERE id = ${id}`,
        sql`DELETE FROM account_restriction WHERE id = ${id}`
      ])
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      yield* lift(id)
      yield* Effect.flip(
        sql`UPDATE account_restriction SET lifted_at = NULL, lifted_by = NULL, lift_reason = NULL WHERE id = ${id}`
      )
      assert.deepStrictEqual(yield* flagsOf(user.id), free)
    })
  )
})

layer(domain)("A banned person", (it) => {
  it.effect.each(["ban", "lock"] as const)(
    "is signed out by a %s, and reads the reason after the right password only",
    (preset) =>
      Effect.gen(function* () {
        const { access_token, email, refresh_token, user } = yield* newPerson
        const { id } = yield* restrict(user.id, preset)
        assert.isFalse(yield* isSignedIn(access_token))
        const refreshed = yield* request("POST", "/v1/auth/refresh", { body: { refresh_token } })
        assert.strictEqual(refreshed.status, 401)
        const wrong = yield* login(email, "another password")
        assert.deepStrictEqual([wrong.status, wrong.body.details], [401, undefined])
        const right = yield* login(email)
        assert.deepStrictEqual(
          [right.status, right.body.details],
          [401, { reason: "account_blocked", public_reason: publicReason }]
        )
        yield* lift(id)
        assert.isFalse(yield* isSignedIn(access_token))
        assert.strictEqual((yield* login(email)).status, 200)
      })
  )

  it.effect("cannot reset the password, neither with an earlier mail nor with another one", () =>
    Effect.gen(function* () {
      const { email, user } = yield* newPerson
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      const token = yield* mailedToken(email)
      const { id } = yield* restrict(user.id, "ban")
      assert.strictEqual((yield* reset(token)).status, 400)
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      assert.isEmpty(yield* mailTo(email))
      yield* lift(id)
      assert.strictEqual((yield* reset(token)).status, 400)
      yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
      assert.strictEqual((yield* reset(yield* mailedToken(email))).status, 204)
    })
  )

  it.effect.each([
    ["ada.b@gmail.com", "ADA.B+two@gmail.com", "a.d.a.b@googlemail.com"],
    ["eve@pm.me", "e_v.e@proton.me", "eve+x@protonmail.com"],
    ["bob@example.org", "bob+1@example.org"]
  ])("gets no other account with the mailbox of %s until the ban is lifted", ([email, ...others]) =>
    Effect.gen(function* () {
      const { user } = (yield* register(email!)).body as { user: { id: string } }
      const { access_token } = yield* newPerson
      const move = (email: string) => request("PATCH", "/v1/users/me", { user: access_token, body: { email } })
      const lock = yield* restrict(user.id, "lock")
      assert.strictEqual((yield* move(others[0]!)).status, 200)
      yield* move(`${user.id}@example.com`)
      yield* lift(lock.id)
      const { id } = yield* restrict(user.id, "ban")
      for (const other of others) {
        const [refused, taken] = [yield* register(other), yield* register(email!)]
        assert.strictEqual(refused.status, 409)
        assert.deepStrictEqual(refused.body, taken.body)
        assert.strictEqual((yield* move(other)).status, 409)
      }
      assert.strictEqual((yield* register(`x${email}`)).status, 201)
      yield* lift(id)
      for (const other of others) assert.strictEqual((yield* register(other)).status, 201)
    })
  )

  it.effect("has API keys that answer 403 until the ban is lifted", () =>
    Effect.gen(function* () {
      const { read, user } = yield* programmer
      const other = yield* programmer
      const { id } = yield* restrict(user.id, "ban")
      const refused = yield* answering(read, 403)
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "FORBIDDEN"])
      assert.strictEqual((yield* other.read).status, 200)
      yield* lift(id)
      assert.strictEqual((yield* answering(read, 200)).status, 200)
    })
  )

  it.effect.each(["hold", "suspend"] as const)("is not the person of a %s: sessions and keys work", (preset) =>
    Effect.gen(function* () {
      const { access_token, email, read, user } = yield* programmer
      yield* restrict(user.id, preset)
      assert.isTrue(yield* isSignedIn(access_token))
      assert.deepStrictEqual([(yield* read).status, (yield* login(email)).status], [200, 200])
    })
  )

  it.effect("is told by mail at a verified address, and again when the account is free", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { email, user } = yield* newPerson
      yield* sql`UPDATE user_account SET email_verified = true, language = 'de' WHERE id = ${user.id}`
      yield* mailTo(email)
      const hold = yield* restrict(user.id, "hold")
      assert.isEmpty(yield* mailTo(email))
      const ban = yield* restrict(user.id, "ban")
      const [told] = yield* mailTo(email)
      assert.strictEqual(told?.subject, "Ihr Konto wurde gesperrt")
      assert.include(told?.text, publicReason)
      assert.notInclude(told?.text, "Card testing")
      yield* lift(ban.id)
      assert.deepStrictEqual(
        (yield* mailTo(email)).map(({ subject }) => subject),
        ["Ihr Konto ist wieder frei"]
      )
      yield* lift(hold.id)
      assert.isEmpty(yield* mailTo(email))
    })
  )
})
