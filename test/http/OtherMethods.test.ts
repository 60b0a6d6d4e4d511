import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const document = OpenApi.fromApi(Api)
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
const origin = { origin: "https://shop.example" }

const operations = Object.values(document.paths).flatMap((item) =>
  methods.flatMap((method) => item[method.toLowerCase() as "get"] ?? [])
)

const paths = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, "x"))

/** `/v1/orders/quote` also matches `/v1/orders/{order_id}`, so it has the methods of both. */
const methodsOf = (path: string) => {
  const items = Object.entries(document.paths).filter(([at]) =>
    new RegExp(`^${at.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)
  )
  return methods.filter((method) => items.some(([, item]) => method.toLowerCase() in item))
}

const allowOf = (declared: ReadonlyArray<string>) =>
  [...declared.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ")

/** Paths outside the API, and their methods. */
const others: ReadonlyArray<readonly [path: string, declared: ReadonlyArray<HttpMethod.HttpMethod>]> = [
  ["/oauth/token", ["POST"]],
  ["/oauth/revoke", ["POST"]],
  ["/oauth/register", ["POST"]],
  ["/oauth/authorize", ["GET"]],
  ["/agent/auth", ["POST"]],
  ["/agent/claim", ["POST"]],
  ["/agent/revoke", ["POST"]],
  ["/.well-known/jwks.json", ["GET"]],
  ["/.well-known/oauth-authorization-server", ["GET"]],
  ["/.well-known/oauth-protected-resource/mcp", ["GET"]],
  ["/rpc", ["POST"]],
  ["/llms.txt", ["GET"]],
  ["/openapi.json", ["GET"]],
  ["/docs", ["GET"]],
  ["/health/live", ["GET"]],
  ["/health/ready", ["GET"]],
  ["/app", ["GET"]],
  ["/app/", ["GET"]],
  ["/app/sign-in", ["GET", "POST"]],
  ["/app/sign-out", ["POST"]],
  ["/app/consent/1", ["GET", "POST"]],
  ["/", ["GET"]]
]

layer(MockedApp.layer())("A path", (it) => {
  it.effect("of the API answers an unsupported method with 405 and its methods, readable for pages", () =>
    Effect.gen(function* () {
      assert.isAbove(paths.length, 40)
      for (const path of paths) {
        const declared = methodsOf(path)
        for (const method of methods.filter((method) => !declared.includes(method))) {
          const { body, headers, status } = yield* request(method, path, { headers: origin })
          assert.deepStrictEqual(
            [status, headers["allow"], headers["access-control-allow-origin"], body.code],
            [405, allowOf(declared), "*", "BAD_REQUEST"],
            `${method} ${path}`
          )
          assert.strictEqual(headers["cache-control"], "private, no-store")
        }
      }
    })
  )

  it.effect("of the API tells browsers which methods and headers a page may send", () =>
    Effect.gen(function* () {
      const sent = operations.flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === "header"))
      assert.isNotEmpty(sent)
      for (const path of paths) {
        const declared = methodsOf(path)
        const { headers, status } = yield* request("OPTIONS", path, { headers: origin })
        assert.deepStrictEqual(
          [status, headers["access-control-allow-origin"], headers["access-control-allow-methods"], headers["allow"]],
          [204, "*", declared.join(", "), allowOf(declared)],
          path
        )
        assert.strictEqual(headers["access-control-max-age"], "7200")
        assert.notProperty(headers, "access-control-allow-credentials")
        assert.notProperty(headers, "ratelimit")
        const accepted = (headers["access-control-allow-headers"] ?? "").toLowerCase().split(", ")
        assert.includeMembers(accepted, [
          ...sent.map(({ name }) => name.toLowerCase()),
          "authorization",
          "x-api-key",
          "content-type"
        ])
      }
    })
  )

  it.effect("outside the API answers an unsupported method with 405 and its methods", () =>
    Effect.gen(function* () {
      for (const [path, declared] of others)
        for (const method of methods.filter((method) => !declared.includes(method))) {
          const { headers, status } = yield* request(method, path)
          assert.deepStrictEqual([status, headers["allow"]], [405, allowOf(declared)], `${method} ${path}`)
        }
    })
  )

  it.effect("that does not exist, or is only for operators, is unknown for every method", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/nothing", "/v1", "/nothing", "/app/nothing", "/metrics"])
        for (const method of [...methods, "OPTIONS"] as const)
          assert.strictEqual((yield* request(method, path)).status, 404, `${method} ${path}`)
    })
  )

  it.effect("of the dashboard is not open to other pages", () =>
    Effect.gen(function* () {
      for (const path of ["/app/sign-in", "/app/nothing"])
        for (const method of ["PUT", "OPTIONS"] as const)
          assert.notProperty((yield* request(method, path)).headers, "access-control-allow-origin")
    })
  )
})
