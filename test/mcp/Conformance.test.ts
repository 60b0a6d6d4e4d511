import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as McpFixtures from "../support/McpFixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Credential, newKey } from "./McpTesting.ts"

const bin = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js")

/** The suite sends no credentials: it calls this address, which adds one. */
const withCredential = (target: string, credential: Credential) =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        const forwarded = http.request(
          `${target}${request.url}`,
          { method: request.method ?? "GET", headers: { ...request.headers, ...credential } },
          (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          }
        )
        forwarded.on("error", () => response.destroy())
        request.pipe(forwarded)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close().closeAllConnections())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

/** The suite's own summary, by scenario. */
const run = Effect.fnUntraced(function* (url: string, revision: string) {
  const options = ["server", "--url", url, "--spec-version", revision]
  const results = yield* directory
  const output = yield* Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [bin, ...options, "-o", results], { timeout: 60_000 })
    let text = ""
    child.stdout.on("data", (part) => (text += part))
    child.stderr.on("data", (part) => (text += part))
    child.on("close", () => resume(Effect.succeed(text)))
  })
  const summary = Array.from(output.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gmu))
  return {
    output,
    passed: summary.flatMap(([, mark, name]) => (mark === "✓" ? [name] : [])),
    failed: summary.flatMap(([, mark, name]) => (mark === "✗" ? [name] : []))
  }
})

/** What revision 2025-03-26 does not have, and what a server need not offer in it. */
const beyond = ["tools-call-elicitation", "resources-subscribe", "resources-unsubscribe"]

layer(TestApp.layerTools(McpFixtures.layer), { excludeTestServices: true })("The public conformance suite", (it) => {
  it.effect(
    "passes for revision 2025-03-26",
    () =>
      Effect.gen(function* () {
        const target = yield* HttpServer.addressFormattedWith((address) =>
          Effect.succeed(address.replace("0.0.0.0", "127.0.0.1"))
        )
        const url = yield* withCredential(target, (yield* newKey()).credential)
        const own = yield* run(url, "2025-03-26")
        assert.deepStrictEqual([own.passed, own.failed], [["server-session-lifecycle"], []], own.output)

        // Most scenarios are filed under the next revision, although they hold for this one.
        const next = yield* run(url, "2025-06-18")
        assert.lengthOf(next.passed, 24, next.output)
        assert.deepStrictEqual(next.failed, beyond, next.output)
      }),
    90_000
  )
})
