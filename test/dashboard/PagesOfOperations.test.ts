import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { Api } from "../../src/Api.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

/** The rows of the table: an operation, and its page or the reason why it has none. */
const rows = Array.from(
  readFileSync("docs/dashboard.md", "utf8").matchAll(
    /^\| `([A-Z]+ \/v1[^`]*)` \| (?:`(GET|POST) ([^`]+)`|none: (.+)) \|$/gm
  ),
  ([, operation = "", method, path, reason]) => ({ operation, method, path, reason })
)

const operations = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
)

const id = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"

layer(MockedApp.layer())("The table of operations and pages (docs/dashboard.md)", (it) => {
  it.effect("names every operation once", () =>
    Effect.sync(() => assert.deepStrictEqual(rows.map(({ operation }) => operation).toSorted(), operations.toSorted()))
  )

  it.effect("names pages that exist", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(rows, ({ method, path }) => {
        if (method === undefined || path === undefined) return Effect.succeed(undefined)
        const at = `/app${path === "/" ? "" : path.replaceAll(/\{\w+\}/g, id)}`
        return Effect.map(request(method as "GET" | "POST", at), ({ status }) => `${status} ${method} ${at}`)
      })
      const found = answers.filter((answer) => answer !== undefined)
      assert.isAbove(found.length, 60)
      assert.deepStrictEqual(
        found.filter((answer) => /^(404|405) /.test(answer)),
        []
      )
    })
  )
})
