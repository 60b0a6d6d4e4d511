import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as TestApp from "../support/TestApp.ts"
import { newKey } from "./McpTesting.ts"

const bin = path.resolve("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")

/** The directory of its settings. */
const home = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "inspector-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

layer(TestApp.layer(), { excludeTestServices: true })("The inspector's command line", (it) => {
  it.effect("finds no fault in the tools' schemas, and calls a tool", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const HOME = yield* home
      const url = yield* HttpServer.addressFormattedWith((address) =>
        Effect.succeed(`${address.replace("0.0.0.0", "127.0.0.1")}/mcp`)
      )
      const inspect = (...options: ReadonlyArray<string>) => {
        const header = ["--header", `X-API-Key: ${credential["x-api-key"]}`]
        const args = [bin, "--cli", url, "--transport", "http", ...header, ...options]
        return Effect.callback<any>((resume) => {
          execFile(
            process.execPath,
            args,
            { env: { ...process.env, HOME }, timeout: 120_000, maxBuffer: 2 ** 24 },
            (error, stdout, stderr) =>
              resume(error === null ? Effect.succeed(JSON.parse(stdout)) : Effect.die(new Error(stderr + stdout)))
          )
        })
      }
      const [{ tools }, { content }] = yield* Effect.all(
        [
          inspect("--method", "tools/list", "--strict"),
          inspect("--method", "tools/call", "--tool-name", "get_wallet_balance", "--tool-arg", "currency=USD")
        ],
        { concurrency: 2 }
      )
      assert.isAbove(tools.length, 16)
      assert.strictEqual(JSON.parse(content[0].text).balance, 0)
    })
  )
})
