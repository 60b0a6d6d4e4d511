import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlError } from "effect/sql"
import * as http from "node:http"
import { Orders } from "../../src/orders/Orders.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const user = crypto.randomUUID()
const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("secret detail"), message: "Connection closed" })
})
/** The response to a body that is not sent to its end. */
const begun = Effect.fnUntraced(function* (
  path: string,
  headers: Readonly<Record<string, string>>,
  parts: ReadonlyArray<string>
) {
  const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(address))
  return yield* Effect.callback<number | undefined>((resume) => {
    const sent = http.request(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers }
    })
    sent.on("response", ({ statusCode }) => {
      resume(Effect.succeed(statusCode))
      sent.destroy()
    })
    sent.on("error", () => {})
    sent.flushHeaders()
    for (const part of parts) sent.write(part)
  })
})

const mocks = Layer.mock(Orders)({
  counts: () => Effect.die(new Error("secret detail")),
  list: () => Effect.die(away)
})

layer(MockedApp.layer(mocks))("Every response", (it) => {
  it.effect("carries the client's request id when it is well-formed, else a new one", () =>
    Effect.gen(function* () {
      const given = yield* request("GET", "/health/live", { headers: { "x-request-id": "my-id_1.2" } })
      assert.strictEqual(given.headers["x-request-id"], "my-id_1.2")
      for (const bad of ["a b", "x".repeat(129), "é", "<script>"])
        assert.match(
          (yield* request("GET", "/nowhere", { headers: { "x-request-id": bad } })).headers["x-request-id"] ?? "",
          /^[0-9a-f]{8}-[0-9a-f-]{27}$/
        )
      const long = "x".repeat(128)
      const kept = yield* request("GET", "/nowhere", { headers: { "x-request-id": long } })
      assert.strictEqual(kept.headers["x-request-id"], long)
    })
  )

  it.effect("to a request that ended in a defect is a 500 with the request id and no detail of the defect", () =>
    Effect.gen(function* () {
      const answer = yield* request("GET", "/v1/orders/counts", { user, headers: { "x-request-id": "r-1" } })
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [
          500,
          {
            detail: "Something went wrong on our side; send the request id to support",
            code: "INTERNAL_ERROR",
            details: { request_id: "r-1" }
          }
        ]
      )
    })
  )

  it.effect("is a 503 that says to try again while the database is unavailable", () =>
    Effect.gen(function* () {
      const { body, status } = yield* request("GET", "/v1/orders", { user })
      assert.deepStrictEqual(
        [status, body],
        [503, { detail: "The database does not answer; try again in a moment", code: "SERVICE_UNAVAILABLE" }]
      )
    })
  )

  it.effect.each([
    ["GET", "/nothing", 404, "NOT_FOUND"],
    ["GET", "/v1", 404, "NOT_FOUND"],
    ["DELETE", "/v1/orders", 405, "BAD_REQUEST"],
    ["GET", "/v1/orders", 401, "UNAUTHORIZED"]
  ] as const)("to %s %s is %s %s", ([method, path, status, code]) =>
    Effect.gen(function* () {
      const answer = yield* request(method, path)
      assert.deepStrictEqual([answer.status, answer.body.code, typeof answer.body.detail], [status, code, "string"])
    })
  )

  it.effect("to a body of another content type is 415, to a body over 64 KiB is 413, both with a documented body", () =>
    Effect.gen(function* () {
      const form = yield* request("POST", "/v1/orders", {
        user,
        body: "offer_id=1",
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      assert.deepStrictEqual([form.status, form.body.code], [415, "VALIDATION_ERROR"])
      const large = yield* request("POST", "/v1/orders", { user, body: { notes: "x".repeat(65_536) } })
      assert.deepStrictEqual([large.status, large.body.code], [413, "VALIDATION_ERROR"])
    })
  )

  it.effect("is readable for pages of any origin, also when it is a refusal or a failure", () =>
    Effect.gen(function* () {
      const tooLarge = { user, body: { notes: "x".repeat(1_100_000) } }
      for (const [answer, status] of [
        [yield* request("GET", "/v1/flags"), 401],
        [yield* request("GET", "/v1/nothing"), 404],
        [yield* request("DELETE", "/v1/orders"), 405],
        [yield* request("POST", "/v1/orders", tooLarge), 413],
        [yield* request("GET", "/v1/orders/counts", { user }), 500],
        [yield* request("GET", "/v1/orders", { user }), 503],
        [yield* request("GET", "//V1/orders", { user }), 503]
      ] as const) {
        assert.deepStrictEqual([answer.status, answer.headers["access-control-allow-origin"]], [status, "*"])
        assert.strictEqual(answer.headers["access-control-expose-headers"], "*")
        assert.strictEqual(answer.headers["www-authenticate"], status === 401 ? "Bearer" : undefined)
        assert.notProperty(answer.headers, "strict-transport-security")
      }
    })
  )

  it.effect(
    "to a too large body is 413: before the body arrives when Content-Length tells its size, else at the limit",
    () =>
      Effect.gen(function* () {
        for (const [headers, parts] of [
          [{ "content-length": "65537" }, []],
          [{ "transfer-encoding": "chunked" }, ["x".repeat(40_000), "x".repeat(40_000)]]
        ] as const) {
          const status = yield* begun("/v1/orders", { authorization: `Bearer ${user}`, ...headers }, parts)
          assert.strictEqual(status, 413)
        }
      })
  )

  it.effect("to a query of more than a hundred parameters is 414 at every path", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/orders", "/health/live", "/oauth/authorize"]) {
        const answer = yield* request("GET", `${path}?${"a&".repeat(100)}`)
        assert.deepStrictEqual([answer.status, answer.body.code], [414, "BAD_REQUEST"])
        assert.notStrictEqual((yield* request("GET", `${path}?${"a&".repeat(99)}`)).status, 414)
      }
    })
  )

  it.effect("to GET /metrics is 404 without METRICS_TOKEN", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* request("GET", "/metrics")).status, 404)
    })
  )
})

layer(MockedApp.layer(Layer.empty, { PUBLIC_URL: "https://proxies.example", RATE_LIMIT_PER_MINUTE: "1" }))(
  "Behind https",
  (it) => {
    it.effect("every response tells browsers to use https, and pages can read a 429", () =>
      Effect.gen(function* () {
        const paths = ["/v1/flags", "/v1/flags", "/nothing", "/app/sign-in", "/health/live", "/openapi.json"]
        const answers = yield* Effect.forEach(paths, (path) => request("GET", path))
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [401, 429, 404, 200, 200, 200]
        )
        for (const { headers } of answers) assert.strictEqual(headers["strict-transport-security"], "max-age=31536000")
        assert.strictEqual(answers[1]?.headers["access-control-allow-origin"], "*")
      })
    )
  }
)

layer(MockedApp.layer(Layer.empty, { METRICS_TOKEN: "a-token" }))("Metrics", (it) => {
  it.effect("count requests, and are readable with the token only", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* request("GET", "/metrics")).status, 401)
      assert.strictEqual((yield* request("GET", "/metrics", { user: "another" })).status, 401)
      const { body, status } = yield* request("GET", "/metrics", { user: "a-token" })
      assert.strictEqual(status, 200)
      assert.match(body, /http_requests_total\{.*status="401".*\} [1-9]/)
      assert.include(body, "http_request_duration_seconds_bucket")
    })
  )
})
