import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlError } from "effect/sql"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import { BrowserSessions } from "../../src/accounts/sessions/BrowserSessions.ts"
import { SignInPasses } from "../../src/accounts/sessions/SignInPasses.ts"
import { AgentLimits } from "../../src/agents/AgentLimits.ts"
import { OAuthLimits } from "../../src/oauth/OAuthLimits.ts"
import * as RateLimit from "../../src/platform/requests/RateLimit.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import * as Browser from "../support/Browser.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"
import { http } from "./PagesTesting.ts"

const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("secret detail"), message: "Connection closed" })
})
const broken = new Error("secret detail")
const refused = { address: () => RateLimit.refuse(120) }

const mocks = Layer.mergeAll(
  Layer.mock(BrowserSessions)({ find: (token) => Effect.die(token === "away" ? away : broken) }),
  Layer.mock(Payments)({ find: () => Effect.die(away) }),
  Layer.mock(AgentLimits)(refused),
  Layer.mock(AuthLimits)({ ...refused, login: () => RateLimit.refuse(120), registration: () => RateLimit.refuse(120) }),
  Layer.mock(SignInPasses)({ find: () => Effect.succeedNone }),
  Layer.mock(OAuthLimits)({ address: () => RateLimit.refuse(120), visitor: () => Effect.void })
)

const page = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, session?: string, body?: string) =>
  request(method, path, {
    headers: {
      "x-request-id": "r-1",
      ...(session === undefined ? {} : { cookie: `session=${session}` }),
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" })
    },
    ...(body === undefined ? {} : { body })
  })

layer(MockedApp.layer(mocks).pipe(Layer.provide(Logger.layer([]))))("a page with a defect", (it) => {
  it.effect("shows a page that says what to do", () =>
    Effect.gen(function* () {
      const payment = "/app/payments/0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
      for (const [answer, status, heading, text] of [
        [yield* page("GET", "/app/connections", "broken"), 500, "Something went wrong", "<code>r-1</code>"],
        [yield* page("GET", "/oauth/authorize", "broken"), 500, "Something went wrong", "<code>r-1</code>"],
        [yield* page("GET", "/app/sign-in", "away"), 503, "Not available right now", "try again"],
        [yield* page("GET", payment), 503, "Not available right now", "try again"],
        [yield* page("POST", "/app/sign-in", undefined, "x".repeat(66_000)), 413, "The form is too large", "64 KiB"],
        [
          yield* page("POST", "/app/connections"),
          405,
          "This does not work here",
          "does not accept POST; it accepts GET"
        ],
        [yield* page("PUT", "/app/sign-in"), 405, "This does not work here", "does not accept PUT; it accepts GET"],
        [yield* page("GET", "/app/sign-out"), 405, "This does not work here", "does not accept GET; it accepts POST"],
        [yield* page("DELETE", "/app/a/b"), 404, "Page not found", "Check the link"],
        [yield* page("GET", `/app/consent/${"1".repeat(200)}`), 404, "Page not found", "Check the link"]
      ] as const) {
        assert.strictEqual(answer.status, status)
        assert.include(answer.body, `<h1>${heading}</h1>`)
        assert.include(answer.body, text)
        assert.notInclude(answer.body, "secret detail")
        assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
        assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'/)
        assert.strictEqual(answer.headers["x-request-id"], "r-1")
      }
    })
  )

  it.effect("keeps the form after too many attempts, and says when to try again", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      for (const [path, fields] of [
        ["sign-in", {}],
        ["register", { name: "Ada" }],
        ["claim", { claim_token: "clm_token" }],
        ["unlock", {}]
      ] as const) {
        yield* browser.open(`${http}/app/${path}`)
        const typed = { email: "ada@example.com", ...fields }
        const secret = path === "unlock" ? {} : { password: "correct horse" }
        const { headers, status, text } = yield* browser.submit({ ...typed, ...secret })
        assert.deepStrictEqual([status, headers["retry-after"]], [429, "120"])
        assert.match(text, /role="alert">[^<]*\. Try again in 2 minutes\./)
        for (const value of Object.values(typed)) assert.include(text, `value="${value}"`)
      }
    })
  )
})
