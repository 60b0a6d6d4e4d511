import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const cli = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"))

/** Runs the linter on a document, without its update check and telemetry. */
const lint = (document: unknown) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "openapi-"))),
        (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
      )
      const file = path.join(directory, "openapi.json")
      fs.writeFileSync(file, JSON.stringify(document))
      return yield* Effect.callback<{ problems: ReadonlyArray<{ ruleId: string; message: string }> }>((resume) => {
        const env = { PATH: process.env["PATH"], REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
        const options = ["--format=json", "--max-problems=1000", `--config=${path.join(root, "redocly.yaml")}`]
        execFile(process.execPath, [cli, "lint", ...options, file], { env, maxBuffer: 1e8 }, (_, stdout, stderr) =>
          resume(stdout === "" ? Effect.die(new Error(stderr)) : Effect.sync(() => JSON.parse(stdout)))
        )
      })
    })
  )

layer(MockedApp.layer(), { excludeTestServices: true })("The OpenAPI document, linted,", (it) => {
  it.effect("has neither errors nor warnings", () =>
    Effect.gen(function* () {
      const { body } = yield* request("GET", "/openapi.json")
      assert.deepStrictEqual((yield* lint(body)).problems, [])
    })
  )

  it.effect("would have its faults reported", () =>
    Effect.gen(function* () {
      const { body } = yield* request("GET", "/openapi.json")
      const { license: _, ...info } = body.info
      const { problems } = yield* lint({ ...body, info })
      assert.deepStrictEqual(
        problems.map(({ ruleId }) => ruleId),
        ["info-license"]
      )
    })
  )
})
