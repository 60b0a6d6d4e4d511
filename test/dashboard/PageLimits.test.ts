import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { BrowserSessions } from "../../src/accounts/BrowserSessions.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

/** A session for each token, of one user. */
const sessions = Layer.mock(BrowserSessions)({
  find: (token) =>
    Effect.succeed(
      token === "forged" ? Option.none() : Option.some({ user: { id: "u-1" }, session_id: token } as never)
    )
})

const ask = (method: "GET" | "POST", path: string, cookie = "") => request(method, path, { headers: { cookie } })

const times = (count: number, ask: ReturnType<typeof request>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: count }, () => ask),
      { concurrency: 16 }
    ),
    (answers) =>
      Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, of]) => [+status, of?.length])
  )

layer(MockedApp.layer(sessions, { AUTH_RATE_LIMIT_FACTOR: "1" }))("Pages", (it) => {
  it.effect("without a session have a limit for each address", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* times(310, ask("GET", "/app/sign-in")), [
        [200, 300],
        [429, 10]
      ])
      for (const [method, path] of [
        ["GET", "/app/register"],
        ["POST", "/app/register"],
        ["POST", "/app/sign-in"],
        ["POST", "/app/sandbox/pay/x"],
        ["GET", "/app/payments/x"],
        ["GET", "/app/nothing"],
        ["GET", "/"],
        ["GET", "/docs"],
        ["GET", "/openapi.json"]
      ] as const) {
        const { headers, status } = yield* ask(method, path)
        assert.strictEqual(status, 429, path)
        assert.match(headers["retry-after"] ?? "", /^\d+$/, path)
      }
      const refused = yield* ask("GET", "/app/sign-in")
      assert.include(refused.body, "<h1>Too many requests</h1>")
    })
  )

  it.effect("with a session have a limit for each account, and for each address when the session is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* times(310, ask("GET", "/app/claim", "browser=b; session=mine")), [
        [200, 300],
        [429, 10]
      ])
      assert.deepStrictEqual(yield* times(310, ask("GET", "/app/claim", "session=forged")), [
        [200, 300],
        [429, 10]
      ])
    })
  )
})
