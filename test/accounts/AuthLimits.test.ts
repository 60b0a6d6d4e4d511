import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { request } from "../support/TestServer.ts"
import { layer as server, newPerson, password } from "./AccountsServer.ts"

const wrongLogin = (email: string) =>
  request("POST", "/v1/auth/login", { body: { email, password: "not the password" } })

const login = (email: string, address: string, secret: string) =>
  request("POST", "/v1/auth/login", { body: { email, password: secret }, headers: { "x-forwarded-for": address } })

const registerFrom = (email: string, n: number) =>
  request("POST", "/v1/auth/register", { body: { email, password }, headers: { "x-forwarded-for": `10.0.${n}.1` } })

const from = (address: string, key?: string) =>
  Effect.map(
    request("GET", "/v1/users/me", {
      headers: { "x-forwarded-for": address },
      ...(key === undefined ? {} : { key })
    }),
    ({ status }) => status
  )

layer(server({ RATE_LIMIT_PER_MINUTE: "4", AUTH_RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "1" }))("Global limit", (it) => {
  it.effect("counts all requests of an account together, for every credential, and reports the rest of the limit", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const me = request("GET", "/v1/users/me", { user: access_token })
      const first = yield* me
      assert.strictEqual(first.headers["ratelimit-policy"], `"global";q=4;w=60`)
      assert.match(first.headers["ratelimit"] ?? "", /^"global";r=3;t=\d+$/)
      const { body } = yield* request("POST", "/v1/api-keys", { user: access_token, body: { name: "same account" } })
      assert.strictEqual((yield* request("GET", "/v1/users/me", { key: body.key })).status, 200)
      assert.strictEqual((yield* me).status, 200)
      const refused = yield* me
      assert.strictEqual(refused.status, 429)
      assert.deepStrictEqual(refused.body, {
        detail: `Too many requests; try again in ${refused.headers["retry-after"]} seconds`,
        code: "RATE_LIMITED",
        details: { retry_after: Number(refused.headers["retry-after"]) }
      })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* me).status, 200)
    })
  )

  it.effect("counts requests without valid credentials per address", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const guess = `prk_${"A".repeat(43)}`
      const statuses = yield* Effect.all(
        [guess, undefined, guess, undefined, guess].map((key) => from("192.0.2.1", key))
      )
      assert.deepStrictEqual(statuses, [401, 401, 401, 401, 429])
      assert.strictEqual(yield* from("192.0.2.2"), 401)
    })
  )

  it.effect("counts an IPv6 network as one address", () =>
    Effect.gen(function* () {
      const statuses = yield* Effect.all([1, 2, 3, 4, 5].map((host) => from(`2001:db8:0:2::${host}`)))
      assert.deepStrictEqual(statuses, [401, 401, 401, 401, 429])
      assert.strictEqual(yield* from("2001:db8:0:3::1"), 401)
    })
  )

  it.effect("a key from a forbidden address uses up the limit of the address, not of its owner", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const { body } = yield* request("POST", "/v1/api-keys", {
        user: access_token,
        body: { name: "elsewhere", allowed_ips: ["203.0.113.9"] }
      })
      const statuses = yield* Effect.all([1, 2, 3, 4, 5].map(() => from("192.0.2.3", body.key)))
      assert.deepStrictEqual(statuses, [403, 403, 403, 403, 429])
      assert.strictEqual(yield* from("203.0.113.9", body.key), 200)
    })
  )
})

layer(
  AuthLimits.layer.pipe(
    Layer.provide(RateLimit.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ TRUST_PROXY: "1" })))
  )
)("Registrations of all addresses", (it) => {
  const counting = Effect.map(AuthLimits, (limits) => {
    let made = 0
    const register = (address: string) =>
      limits
        .registration(Effect.sync(() => void made++))
        .pipe(
          Effect.ignore,
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": address } }))
          )
        )
    return { register, made: () => made }
  })

  it.effect("are limited to 100 per hour from one IPv6 /48, without affecting other networks", () =>
    Effect.gen(function* () {
      const { made, register } = yield* counting
      for (let n = 0; n < 150; n++) {
        yield* register(`2001:db8:7:${n.toString(16)}::1`)
        if (n % 50 === 49) yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(made(), 100)
      yield* register("2001:db8:8::1")
      assert.strictEqual(made(), 101)
      yield* TestClock.adjust("1 hour")
    })
  )

  it.effect("are limited to 600 per hour, also when they are spread over the hour", () =>
    Effect.gen(function* () {
      const { made, register } = yield* counting
      for (let minute = 0; minute < 20; minute++) {
        for (let n = 0; n < 50; n++) yield* register(`10.0.${n}.1`)
        yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(made(), 600)
    })
  )
})

layer(server({ AUTH_RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "1" }))("Sign-in limits", (it) => {
  it.effect("a stranger may fail 20 times in 15 minutes from one IPv6 network, and does not lock the owner out", () =>
    Effect.gen(function* () {
      const { email } = yield* newPerson
      for (let tried = 0; tried < 20; tried++)
        assert.strictEqual((yield* login(email, `2001:db8::${tried}`, "not the password")).status, 401)
      const refused = yield* login(email, "2001:db8::ffff", password)
      assert.strictEqual(refused.status, 429)
      const seconds = Number(refused.headers["retry-after"])
      assert.isAbove(seconds, 0)
      assert.include(
        refused.body.detail,
        `try again in ${seconds} seconds, or request a mail with POST /auth/login/unlock`
      )
      assert.strictEqual((yield* login(email, "2001:db8:0:1::1", password)).status, 200)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* login(email, "2001:db8::1", password)).status, 200)
    })
  )

  it.effect("an account allows 100 failures in 15 minutes, from all addresses together", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("15 minutes")
      const { email } = yield* newPerson
      const failures = yield* Effect.all(
        Array.from({ length: 100 }, (_, n) => login(email, `198.51.100.${n}`, "not the password")),
        { concurrency: 8 }
      )
      assert.isTrue(failures.every(({ status }) => status === 401))
      assert.strictEqual((yield* login(email, "203.0.113.1", password)).status, 429)
    })
  )

  it.effect("a successful sign-in does not count towards the limit of the account", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("15 minutes")
      const { email } = yield* newPerson
      for (let n = 0; n < 25; n++) assert.strictEqual((yield* login(email, "192.0.2.50", password)).status, 200)
    })
  )

  it.effect("an address may sign in 60 times in 15 minutes, to all accounts together", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("15 minutes")
      const answers = yield* Effect.all(
        Array.from({ length: 61 }, (_, n) => wrongLogin(`guess${n}@example.com`)),
        { concurrency: 8 }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 429),
        1
      )
    })
  )

  it.effect("an address may register 20 accounts per hour", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const answers = yield* Effect.all(
        Array.from({ length: 21 }, (_, n) =>
          request("POST", "/v1/auth/register", { body: { email: `many${n}@example.com`, password } })
        ),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array.from({ length: 20 }, () => 201),
        429
      ])
    })
  )

  it.effect("all addresses together may register 60 accounts per minute, and failed registrations do not count", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const statuses = (emails: ReadonlyArray<string>) =>
        Effect.map(Effect.forEach(emails, registerFrom, { concurrency: 8 }), (answers) =>
          Map.groupBy(answers, ({ status }) => status)
        )
      const taken = yield* statuses(Array.from({ length: 61 }, () => "many0@example.com"))
      assert.strictEqual(taken.get(409)?.length, 61)
      const flood = yield* statuses(Array.from({ length: 70 }, (_, n) => `flood-of-accounts-${n}@example.com`))
      assert.deepStrictEqual([flood.get(201)?.length, flood.get(429)?.length], [60, 10])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* registerFrom("after-the-flood@example.com", 1)).status, 201)
    })
  )

  it.effect("an email gets 5 reset requests per hour, with or without an account", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { email } = yield* newPerson
      for (const asked of [email, "nobody@example.com"]) {
        const forgot = request("POST", "/v1/auth/password/forgot", { body: { email: asked } })
        const statuses = yield* Effect.all(Array.from({ length: 6 }, () => Effect.map(forgot, ({ status }) => status)))
        assert.deepStrictEqual(statuses, [202, 202, 202, 202, 202, 429])
      }
    })
  )

  it.effect("an account may request 5 verification mails per hour, for its current and for a new email", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const { access_token } = yield* newPerson
      const patch = (body: unknown) =>
        Effect.map(request("PATCH", "/v1/users/me", { user: access_token, body }), ({ status }) => status)
      const moves = yield* Effect.all(Array.from({ length: 4 }, (_, n) => patch({ email: `flood${n}@example.com` })))
      assert.deepStrictEqual(moves, [200, 200, 200, 200])
      const resend = request("POST", "/v1/auth/email/verify/resend", { user: access_token })
      assert.strictEqual((yield* resend).status, 202)
      assert.strictEqual(yield* patch({ email: "flood5@example.com" }), 429)
      assert.strictEqual((yield* resend).status, 429)
      assert.strictEqual(yield* patch({ name: "Ada" }), 200)
    })
  )

  it.effect("a thief of a session may guess the password 10 times in 15 minutes, and does not lock the owner out", () =>
    Effect.gen(function* () {
      const { access_token, email } = yield* newPerson
      const { body: own } = yield* request("POST", "/v1/auth/login", { body: { email, password } })
      const guess = request("DELETE", "/v1/users/me", { user: access_token, body: { password: "a guess" } })
      const statuses = yield* Effect.all(Array.from({ length: 11 }, () => Effect.map(guess, ({ status }) => status)))
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 403), 429])
      const body = { current_password: password, new_password: "a better password" }
      assert.strictEqual((yield* request("POST", "/v1/auth/password", { user: own.access_token, body })).status, 204)
    })
  )
})
