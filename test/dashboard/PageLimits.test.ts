import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { BrowserSessions } from "../../src/accounts/sessions/BrowserSessions.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { OAuthLimits } from "../../src/oauth/OAuthLimits.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

/** Sessions of two people; any other token is forged. */
const people: Record<string, string> = { mine: "u-1", "mine-too": "u-1", theirs: "u-2" }

const mocks = Layer.mergeAll(
  Layer.mock(BrowserSessions)({
    find: (token) =>
      Effect.succeed(
        Option.map(Option.fromNullishOr(people[token]), (id) => ({ user: { id }, session_id: token }) as never)
      ),
    end: () => Effect.void
  }),
  Layer.mock(OAuthLimits)({ visitor: () => Effect.void })
)

const ask = (method: "GET" | "POST", path: string, cookie = "") => request(method, path, { headers: { cookie } })

const times = <E, R>(count: number, ask: Effect.Effect<{ readonly status: number }, E, R>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: count }, () => ask),
      { concurrency: 16 }
    ),
    (answers) =>
      Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, of]) => [+status, of?.length])
  )

/** Every page and form, and the documentation. */
const places = [
  ["GET", "/"],
  ["GET", "/docs"],
  ["GET", "/openapi.json"],
  ["GET", "/oauth/authorize"],
  ["GET", "/app/claim"],
  ["POST", "/app/claim"],
  ["GET", "/app/connections"],
  ["GET", "/app/connections/x/limit"],
  ["POST", "/app/connections/x/limit"],
  ["POST", "/app/connections/x/revoke"],
  ["GET", "/app/consent/x"],
  ["POST", "/app/consent/x"],
  ["GET", "/app/nothing"],
  ["GET", "/app/payments/x"],
  ["GET", "/app/register"],
  ["POST", "/app/register"],
  ["GET", "/app/sandbox/pay/x"],
  ["POST", "/app/sandbox/pay/x"],
  ["GET", "/app/sign-in"],
  ["POST", "/app/sign-in"],
  ["POST", "/app/sign-out"],
  ["GET", "/app/unlock"],
  ["POST", "/app/unlock"]
] as const

layer(MockedApp.layer(mocks, { AUTH_RATE_LIMIT_FACTOR: "1" }).pipe(Layer.provide(Logger.layer([]))))("Pages", (it) => {
  it.effect("have a limit per address, which forged sessions use up only for visitors without a session", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* times(310, ask("GET", "/app/claim", "session=forged")), [
        [200, 300],
        [429, 10]
      ])
      for (const cookie of ["", "session=forged", "session=another"])
        for (const [method, path] of places) {
          const { headers, status } = yield* ask(method, path, cookie)
          assert.strictEqual(status, 429, path)
          assert.match(headers["retry-after"] ?? "", /^\d+$/, path)
        }
      const refused = yield* ask("GET", "/app/sign-in")
      assert.include(refused.body, "<h1>Too many requests</h1>")
      for (const [method, path] of places)
        assert.notStrictEqual((yield* ask(method, path, "browser=b; session=mine")).status, 429, path)
    })
  )

  it.effect("have a limit per account, for all its sessions together", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const asked = yield* Effect.all([
        times(150, ask("GET", "/app/claim", "session=mine")),
        times(160, ask("GET", "/app/claim", "session=mine-too"))
      ])
      assert.deepStrictEqual(asked, [
        [[200, 150]],
        [
          [200, 150],
          [429, 10]
        ]
      ])
      for (const [method, path] of places)
        assert.strictEqual((yield* ask(method, path, "session=mine")).status, 429, path)
      assert.strictEqual((yield* ask("GET", "/app/claim", "session=theirs")).status, 200)
      assert.strictEqual((yield* ask("GET", "/app/claim")).status, 200)
    })
  )
})

layer(
  OAuthLimits.layer.pipe(
    Layer.provide(RateLimit.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ AUTH_RATE_LIMIT_FACTOR: "1" })))
  )
)("Requests of apps to connect", (it) => {
  it.effect("count for the signed-in account, whatever strangers at its address request", () =>
    Effect.gen(function* () {
      const limits = yield* OAuthLimits
      const visit = (signedIn?: string) => Effect.isSuccess(limits.visitor("authorize", signedIn as UserId | undefined))
      const strangers = yield* Effect.all(Array.from({ length: 70 }, () => visit()))
      const owner = yield* Effect.all(Array.from({ length: 70 }, () => visit("u-1")))
      for (const allowed of [strangers, owner]) assert.lengthOf(allowed.filter(Boolean), 60)
    }).pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://localhost/"))
      )
    )
  )
})
