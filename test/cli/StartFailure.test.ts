import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { ListenOptions } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as StartFailure from "../../src/cli/StartFailure.ts"
import { type Run, run } from "./CommandTesting.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** Settings with which every command that needs a database stops. */
const nowhere = { DATA_DIR: "/dev/null/nowhere" }

const runProcess: Run = (env, ...words) =>
  Effect.callback((resume) => {
    execFile(
      process.execPath,
      [main, ...words],
      { env: { PATH: process.env["PATH"], ...env } },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error?.code ?? 0, stdout, stderr }))
    )
  })

describe.concurrent("A failing start", () => {
  it.live.each<readonly [string, Record<string, string>, Run]>([
    ["PORT", { PORT: "abc" }, runProcess],
    ["PORT", { PORT: "70000" }, run],
    ["BRAND_DIR", { BRAND_DIR: "/dev/null/brand" }, run],
    ["LOG_FORMAT", { LOG_FORMAT: "xml" }, run],
    ["GATEWAY_ALLOW", { GATEWAY_ALLOW: "127.0.0.1" }, runProcess],
    ["DATABASE_URL", { DATABASE_URL: "mysql://secret@host/db" }, runProcess],
    ["STRIPE_WEBHOOK_SECRET is missing: ", { STRIPE_SECRET_KEY: "secret" }, run],
    ["SANDBOX", { SANDBOX: "true", STRIPE_SECRET_KEY: "secret", STRIPE_WEBHOOK_SECRET: "secret" }, run],
    ["The sandbox is on", { ABUSEIPDB_API_KEY: "secret" }, run],
    ["npm keeps --workers for itself", { npm_config_workers: "2" }, run],
    ["WORKERS: Expected auto or an integer between 1 and 32", { WORKERS: "33" }, run]
  ])("stops with one line that names %s", ([name, env, run]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run({ ...nowhere, ...env }, "serve")
      assert.strictEqual(code, 1)
      assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
      assert.match(stderr, new RegExp(`^${name}\\b`))
      assert.notInclude(stderr, "secret")
    })
  )

  it.live("names DATA_DIR when the data directory cannot be used", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(nowhere, "migrate")
      assert.deepStrictEqual([code, stderr.includes("DATA_DIR")], [1, true])
    })
  )

  it.live.each([
    "reconcile",
    "gateway",
    "flags list",
    "flags set isp.city.enable off",
    "oauth events",
    "promo-codes add NEW --percent 5",
    "promo-codes list",
    "reversals list",
    "reversals lift me@example.com",
    "blocklists list",
    "signing-keys rotate"
  ])("creates neither a database nor its directory for a command that needs one: %s", (line) =>
    Effect.gen(function* () {
      const directory = mkdtempSync(path.join(tmpdir(), "nothing-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
      const none = path.join(directory, "none")
      const { code, stderr, stdout } = yield* run({ DATA_DIR: none }, ...line.split(" "))
      assert.deepStrictEqual([code, stdout, readdirSync(directory)], [2, "", []])
      const told = `there is none in ${none}; start the service once, or set DATABASE_URL or DATA_DIR to the value that the service has`
      assert.strictEqual(stderr, `The database cannot be used: ${told}\n`)
    })
  )
})

const listen = (options: ListenOptions) =>
  Layer.build(NodeHttpServer.layer(() => createServer(), { ...options, gracefulShutdownTimeout: 0 }))

describe("An address that is in use", () => {
  it.live("is named with its port", () =>
    Effect.gen(function* () {
      const host = "127.0.0.1"
      const { address } = Context.get(yield* listen({ host, port: 0 }), HttpServer.HttpServer)
      const port = "port" in address ? address.port : 0
      const told = StartFailure.explain(yield* Effect.flip(listen({ host, port })))
      assert.include(told, `PORT: ${host}:${port} is in use; start with another port (PORT=`)
      const [, other] = /\(PORT=(\d+) npm start\)/.exec(told) ?? []
      assert.include([port - 1, port + 1], Number(other))
    })
  )
})

describe.concurrent("A wrong command", () => {
  it.live.each([
    [
      "promo-codes add N --percent 5",
      "Invalid value for argument <code>: \"N\". Expected 3 to 40 letters, digits and hyphens (for help: npx -c 'node src/main.ts promo-codes add --help')"
    ],
    [
      "reversals lift somebody",
      "Invalid value for argument <account>: \"somebody\". Expected the id or the email of an account, got somebody (for help: npx -c 'node src/main.ts reversals lift --help')"
    ],
    ["promo-codes add NEW", "Give either --percent or --fixed-usd"],
    ["migrate x", `Unexpected positional argument: "x" (for help: npx -c 'node src/main.ts migrate --help')`]
  ] as const)("ends with one line: %s", ([line, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(nowhere, ...line.split(" ")), { code: 1, stdout: "", stderr: `${expected}\n` })
    })
  )

  it.live("shows only its help when its subcommand is missing, and the help lists the choices", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* run(nowhere, "flags")
      assert.deepStrictEqual(
        [stderr, stdout.includes("npx -c 'node src/main.ts flags <subcommand> [flags]'")],
        ["", true]
      )
      const { code, stdout: help } = yield* run(nowhere, "flags", "set", "--help")
      assert.strictEqual(code, 0)
      assert.include(help, "isp.city.enable, ip_reputation.check.enabled")
    })
  )
})
