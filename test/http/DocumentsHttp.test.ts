import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const get = (path: string, headers: Record<string, string> = {}) =>
  request("GET", path, { headers: { "accept-encoding": "gzip, br", ...headers } })

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
})
