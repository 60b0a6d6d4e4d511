import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

const run = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.callback<{ code: unknown; stderr: string }>((resume) => {
    execFile(process.execPath, [main, ...args], { env: { PATH: process.env["PATH"], ...env } }, (error, _out, stderr) =>
      resume(Effect.succeed({ code: error?.code ?? 0, stderr }))
    )
  })

describe("A start that cannot be", () => {
  it.live.each([
    ["PORT", { PORT: "abc" }],
    ["PORT", { PORT: "70000" }],
    ["LOG_FORMAT", { LOG_FORMAT: "xml" }],
    ["GATEWAY_ALLOW", { GATEWAY_ALLOW: "127.0.0.1" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://secret@host/db" }]
  ] as const)("stops with one line that names %s", ([name, env]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run({ DATA_DIR: "/dev/null/nowhere", ...env }, "serve")
      assert.strictEqual(code, 1)
      assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
      assert.match(stderr, new RegExp(`^${name}\\b`))
      assert.notInclude(stderr, "secret")
    })
  )

  it.live("says so when the data directory cannot be used", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run({ DATA_DIR: "/dev/null/nowhere" }, "migrate")
      assert.deepStrictEqual([code, stderr.includes("DATA_DIR")], [1, true])
    })
  )
})
