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

/** The summary of the suite, by scenario. */
const run = Effect.fnUntraced(function* (url: string, revision: string, suite = "active") {
  const options = ["server", "--url", url, "--spec-version", revision, "--suite", suite]
  const results = yield* directory
  const output = yield* Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [bin, ...options, "-o", results], { timeout: 240_000 })
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

/** Features that this server does not offer. */
const notOffered = ["tools-call-elicitation", "resources-subscribe", "resources-unsubscribe"]
const notOfferedSince2025_11 = ["elicitation-sep1034-defaults", "elicitation-sep1330-enums"]

layer(TestApp.layerTools(McpFixtures.layer), { excludeTestServices: true })("The public conformance suite", (it) => {
  it.effect(
    "passes for every revision that is served",
    () =>
      Effect.gen(function* () {
        const target = yield* HttpServer.addressFormattedWith((address) =>
          Effect.succeed(address.replace("0.0.0.0", "127.0.0.1"))
        )
        const url = yield* withCredential(target, (yield* newKey()).credential)
        const [first, second, third, stateless] = yield* Effect.all(
          [
            run(url, "2025-03-26"),
            run(url, "2025-06-18"),
            run(url, "2025-11-25"),
            // Draft scenarios too, because the revision's own are drafts.
            run(url, "2026-07-28", "all")
          ],
          { concurrency: 2 }
        )
        assert.deepStrictEqual([first.passed, first.failed], [["server-session-lifecycle"], []], first.output)
        assert.lengthOf(second.passed, 24, second.output)
        assert.deepStrictEqual(second.failed, notOffered, second.output)
        assert.lengthOf(third.passed, 26, third.output)
        assert.sameMembers(third.failed, [...notOffered, ...notOfferedSince2025_11], third.output)

        const { failed, output, passed } = stateless
        assert.lengthOf(passed, 27, output)
        // These four checks call tools of the suite that need input from the client or log messages.
        assert.include(output, "server-stateless: 21 passed, 4 failed", output)
        assert.deepStrictEqual(
          failed.filter((name) => !String(name).startsWith("input-required-result-")),
          ["server-stateless", "json-schema-2020-12", "http-custom-header-server-validation"],
          output
        )
      }),
    300_000
  )
})
