import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { request } from "../support/TestServer.ts"
import { approved, basic, layer as server, post, redemption, told } from "./OAuthServer.ts"

layer(server())("Authentication of clients", (it) => {
  it.effect("authenticates each client with its registered method, and with no other", () =>
    Effect.gen(function* () {
      const methods = ["none", "client_secret_post", "client_secret_basic"] as const
      for (const token_endpoint_auth_method of methods) {
        const one = yield* approved({ token_endpoint_auth_method })
        const { client_id, ...rest } = redemption(one)
        const { secret } = one.client
        const attempts = {
          none: post("/oauth/token", { client_id, ...rest }),
          client_secret_post: post("/oauth/token", { client_id, client_secret: secret, ...rest }),
          client_secret_basic: post("/oauth/token", rest, basic(client_id, secret))
        }
        for (const method of methods) {
          if (method === token_endpoint_auth_method) continue
          const answer = yield* attempts[method]
          assert.deepStrictEqual(told(answer), [401, "invalid_client"], `${method} ${token_endpoint_auth_method}`)
          assert.strictEqual(answer.headers["www-authenticate"] !== undefined, method === "client_secret_basic")
          assert.strictEqual(answer.headers["cache-control"], "no-store")
        }
        assert.strictEqual((yield* attempts[token_endpoint_auth_method]).status, 200, token_endpoint_auth_method)
      }
    })
  )

  it.effect(
    "refuses a wrong secret, an unknown client and a malformed Authorization header, with WWW-Authenticate after HTTP Basic",
    () =>
      Effect.gen(function* () {
        const one = yield* approved({ token_endpoint_auth_method: "client_secret_basic" })
        const { client_id, ...rest } = redemption(one)
        const wrong: ReadonlyArray<Record<string, string>> = [
          basic(client_id, "wrong"),
          basic("dcr_unknown", one.client.secret),
          basic("https://unknown.example.com/client", one.client.secret),
          basic(client_id, "%00"),
          basic("\u0000", "\u0000"),
          { authorization: "Basic" },
          { authorization: "Basic !!!" },
          { authorization: `Basic ${Buffer.from("nocolon").toString("base64")}` },
          { authorization: `Basic ${Buffer.from(`${client_id}:%zz`).toString("base64")}` },
          { authorization: "Bearer abc" }
        ]
        for (const headers of wrong) {
          const answer = yield* post("/oauth/token", rest, headers)
          assert.deepStrictEqual(told(answer), [401, "invalid_client"], headers["authorization"])
          assert.strictEqual(answer.headers["www-authenticate"], 'Basic realm="OAuth", charset="UTF-8"')
        }
        const unknown = yield* post("/oauth/token", { ...rest, client_id: "dcr_unknown" })
        assert.deepStrictEqual(told(unknown), [401, "invalid_client"])
        assert.isUndefined(unknown.headers["www-authenticate"])
        const assertion = yield* post("/oauth/token", { ...rest, client_assertion: "eyJ", client_id })
        assert.deepStrictEqual(told(assertion), [401, "invalid_client"])
        assert.strictEqual((yield* post("/oauth/token", rest, basic(client_id, one.client.secret))).status, 200)
      })
  )

  it.effect("refuses two methods in one request, and two clients", () =>
    Effect.gen(function* () {
      const one = yield* approved({ token_endpoint_auth_method: "client_secret_basic" })
      const { client_id, ...rest } = redemption(one)
      const headers = basic(client_id, one.client.secret)
      const both = yield* post("/oauth/token", { ...rest, client_id, client_secret: one.client.secret }, headers)
      assert.deepStrictEqual(told(both), [400, "invalid_request"])
      const other = yield* post("/oauth/token", { ...rest, client_id: "dcr_other" }, headers)
      assert.deepStrictEqual(told(other), [400, "invalid_request"])
      assert.strictEqual((yield* post("/oauth/token", { ...rest, client_id }, headers)).status, 200)
    })
  )
})

const from = (address: string) => ({ "x-forwarded-for": address })

layer(server({ AUTH_RATE_LIMIT_FACTOR: "1" }))("Limits of the OAuth endpoints", (it) => {
  const until429 = Effect.fnUntraced(function* <E, R>(
    limit: number,
    ask: Effect.Effect<{ readonly status: number; readonly headers: any; readonly body: any }, E, R>
  ) {
    for (let n = 0; n < limit; n += 1) assert.notStrictEqual((yield* ask).status, 429)
    const { body, headers, status } = yield* ask
    assert.deepStrictEqual([status, body.error], [429, "slow_down"])
    assert.isAtLeast(Number(headers["retry-after"]), 1)
    assert.match(body.error_description, new RegExp(`try again in ${headers["retry-after"]} seconds?$`))
  })

  it.effect("count per address and endpoint, and answer with OAuth error codes", () =>
    Effect.gen(function* () {
      yield* until429(60, post("/oauth/token", {}, from("192.0.2.1")))
      yield* until429(60, post("/oauth/revoke", {}, from("192.0.2.1")))
      yield* until429(20, request("POST", "/oauth/register", { headers: from("192.0.2.1") }))
      assert.strictEqual((yield* post("/oauth/token", {}, from("192.0.2.2"))).status, 400)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* post("/oauth/token", {}, from("192.0.2.1"))).status, 400)
    })
  )

  it.effect("count wrong secrets per client and address, and never block the right secret", () =>
    Effect.gen(function* () {
      const one = yield* approved({ token_endpoint_auth_method: "client_secret_post" })
      const wrong = { ...redemption(one), client_secret: "wrong" }
      yield* until429(10, post("/oauth/token", wrong, from("192.0.2.3")))
      assert.strictEqual((yield* post("/oauth/token", wrong, from("192.0.2.4"))).status, 401)
      const right = { ...redemption(one), client_secret: one.client.secret }
      assert.strictEqual((yield* post("/oauth/token", right, from("192.0.2.3"))).status, 200)
    })
  )
})
