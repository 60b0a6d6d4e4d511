import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { get } from "node:http"
import { brotliDecompressSync } from "node:zlib"
import { http } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import * as MockedApp from "../support/MockedApp.ts"

/** Requests a file; the body is as it was sent. */
const fetchRaw = (path: string, headers: Record<string, string> = {}) =>
  HttpServer.addressFormattedWith((address) =>
    Effect.callback<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>((resume) => {
      get(`${address.replace("0.0.0.0", "127.0.0.1")}${path}`, { headers, agent: false }, (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part) => parts.push(part))
        response.on("end", () =>
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: response.headers as Record<string, string | undefined>,
              body: Buffer.concat(parts)
            })
          )
        )
      })
    })
  )

const files = [
  ["style.css", "text/css; charset=utf-8", 27 * 1024],
  ["enhance.js", "text/javascript; charset=utf-8", 4 * 1024],
  ["passkey.js", "text/javascript; charset=utf-8", 3 * 1024],
  ["mark.svg", "image/svg+xml", 1024]
] as const

/** Only the pages with passkeys name it. */
const sometimes = "passkey.js"

layer(MockedApp.layer())("the files of the pages", (it) => {
  it.effect("are named by every page, with an address that changes with their contents", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const { text } = yield* browser.open(`${http}/app/nowhere`)
      assert.notInclude(text, sometimes)
      for (const [name, type] of files) {
        if (name === sometimes) continue
        const [, path = ""] = new RegExp(`"${http}(/app/assets/[0-9a-f]{16}/${name})"`).exec(text) ?? []
        const file = yield* fetchRaw(path)
        assert.deepInclude(file.headers, {
          "content-type": type,
          "cache-control": "public, max-age=31536000, immutable",
          "x-content-type-options": "nosniff",
          vary: "accept-encoding"
        })
        assert.isUndefined(file.headers["content-encoding"])
        assert.isUndefined(file.headers["set-cookie"])
      }
    })
  )

  it.effect("are not kept under the address of another version", () =>
    Effect.gen(function* () {
      for (const [name, type] of files)
        for (const tag of ["0".repeat(16), "x"]) {
          const { headers, status } = yield* fetchRaw(`/app/assets/${tag}/${name}`)
          assert.deepStrictEqual([status, headers["content-type"], headers["cache-control"]], [200, type, "no-cache"])
        }
      assert.strictEqual((yield* fetchRaw(`/app/assets/${"0".repeat(16)}/other.css`)).status, 404)
    })
  )

  it.effect("are packed with brotli for browsers that can read it", () =>
    Effect.gen(function* () {
      for (const [name] of files) {
        const path = `/app/assets/x/${name}`
        const plain = yield* fetchRaw(path, { "accept-encoding": "gzip" })
        const packed = yield* fetchRaw(path, { "accept-encoding": "gzip, deflate, br" })
        assert.strictEqual(packed.headers["content-encoding"], "br")
        assert.isTrue(brotliDecompressSync(packed.body).equals(plain.body))
        if (name !== "mark.svg") assert.isBelow(packed.body.length, plain.body.length / 2)
      }
    })
  )

  it.effect("are small", () =>
    Effect.gen(function* () {
      for (const [name, , most] of files)
        assert.isAtMost((yield* fetchRaw(`/app/assets/x/${name}`)).body.length, most, name)
    })
  )
})
