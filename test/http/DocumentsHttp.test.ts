import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const get = (path: string, headers: Record<string, string> = {}) =>
  request("GET", path, { headers: { "accept-encoding": "gzip, br", ...headers } })

/** Any cookie makes the route answer; it may hold a session. */
const byRoute = { cookie: "other=1" }

/** An answer without the headers that differ between two requests, and the hash of its body. */
const lasting = Effect.map(({ body, headers, status }: Effect.Success<ReturnType<typeof get>>) => ({
  status,
  body,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["date", "ratelimit", "x-request-id"].includes(name))
  )
}))

layer(MockedApp.layer())("A document", (it) => {
  it.effect.each([
    ["/docs", 1_200_000],
    ["/openapi.json", 60_000]
  ] as const)("%s is compressed, cacheable and revalidated by its entity tag", ([path, most]) =>
    Effect.gen(function* () {
      const { headers, status } = yield* get(path)
      assert.deepStrictEqual(
        [status, headers["content-encoding"], headers["cache-control"], headers["vary"]],
        [200, "gzip", "public, max-age=300", "Accept-Encoding"]
      )
      assert.isBelow(Number(headers["content-length"]), most)
      const again = yield* get(path, { "if-none-match": headers["etag"] ?? "" })
      assert.deepStrictEqual([again.status, again.body, again.headers["etag"]], [304, null, headers["etag"]])
      for (const coding of ["identity", "gzip;q=0", "gzip; q=0.0, identity"])
        assert.notProperty((yield* get(path, { "accept-encoding": coding })).headers, "content-encoding", coding)
      for (const coding of ["*", "br;q=1.0, gzip;q=0.8"])
        assert.strictEqual(
          (yield* get(path, { "accept-encoding": coding })).headers["content-encoding"],
          "gzip",
          coding
        )
    })
  )

  it.effect("for people runs only its own scripts, calls only this host and refuses frames", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* get("/docs")
      const scripts = String(body).split("<script>").slice(1)
      assert.lengthOf(scripts, 2)
      const hashes = scripts.map((script) => `'sha256-${hash("sha256", script.split("</script>")[0] ?? "", "base64")}'`)
      const policy = headers["content-security-policy"]?.split("; ") ?? []
      assert.includeMembers(policy, [
        "default-src 'none'",
        `script-src ${hashes.join(" ")}`,
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'"
      ])
      assert.strictEqual(headers["x-frame-options"], "DENY")
      assert.notMatch(String(body), /<(link|script|img|iframe)[^>]+(src|href)=/)
    })
  )

  it.effect.each(["/docs", "/openapi.json"])("%s is the same from its route and from the kept bytes", (path) =>
    Effect.gen(function* () {
      const { headers } = yield* get(path, byRoute)
      const { etag = "" } = headers
      const asked: ReadonlyArray<Record<string, string>> = [
        {},
        { "accept-encoding": "identity" },
        { "if-none-match": etag },
        { "if-none-match": etag.replace("W/", ""), "accept-encoding": "identity" },
        { "if-none-match": "*" },
        { "if-none-match": '"another"' },
        { authorization: "Bearer unknown", "x-api-key": "unknown" }
      ]
      for (const more of asked) {
        assert.deepStrictEqual(yield* lasting(get(path, more)), yield* lasting(get(path, { ...more, ...byRoute })))
        const head = request("HEAD", path, { headers: { "accept-encoding": "gzip", ...more } })
        const headByRoute = request("HEAD", path, { headers: { "accept-encoding": "gzip", ...more, ...byRoute } })
        assert.deepStrictEqual(yield* lasting(head), yield* lasting(headByRoute))
      }
    })
  )

  it.effect("carries the request id of the client", () =>
    Effect.gen(function* () {
      for (const more of [{}, byRoute])
        assert.strictEqual((yield* get("/docs", { "x-request-id": "mine", ...more })).headers["x-request-id"], "mine")
    })
  )
})

layer(MockedApp.layer(undefined, { AUTH_RATE_LIMIT_FACTOR: "1" }))("Documents", (it) => {
  it.effect("share the limit of pages, from their routes and from the kept bytes", () =>
    Effect.gen(function* () {
      const left: Array<string | undefined> = []
      for (const more of [{}, {}, byRoute, {}]) left.push((yield* get("/openapi.json", more)).headers["ratelimit"])
      assert.deepStrictEqual(
        left.map((text) => /r=(\d+)/.exec(text ?? "")?.[1]),
        ["299", "298", "297", "296"]
      )
      for (let n = 0; n < 296; n += 1) assert.strictEqual((yield* get("/openapi.json")).status, 200)
      for (const path of ["/openapi.json", "/docs", "/app/sign-in"]) {
        const { headers, status } = yield* get(path)
        assert.strictEqual(status, 429)
        assert.match(headers["retry-after"] ?? "", /^\d+$/)
      }
    })
  )
})
