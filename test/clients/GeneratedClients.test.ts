import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const here = fileURLToPath(new URL(".", import.meta.url))
const modules = path.join(here, "../../node_modules")

interface Outcome {
  readonly bought: ReadonlyArray<string>
  readonly listed: ReadonlyArray<string>
  readonly total: number
}
type Journey = (url: string, pay: (page: string) => Promise<unknown>) => Promise<Outcome>

const compilerOptions = {
  target: "esnext",
  module: "preserve",
  lib: ["esnext", "dom", "dom.iterable"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true
}

/** Runs a program of Node; answers its output, or dies with it. */
const run = (...args: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    execFile(process.execPath, args, { maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(`${stdout}${stderr}`)))
    )
  })

/** A directory with the clients of the service's own document and the journeys; packages resolve from there. */
const generated = Effect.fnUntraced(function* (url: string) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "clients-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
  )
  const { body } = yield* request("GET", "/openapi.json")
  const document = path.join(directory, "openapi.json")
  fs.writeFileSync(document, JSON.stringify(body))
  fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions }))
  fs.symlinkSync(modules, path.join(directory, "node_modules"))
  fs.cpSync(path.join(here, "journeys"), directory, { recursive: true })
  yield* run(path.join(here, "generate.ts"), document, url, path.join(directory, "generated"))
  return directory
})

const journeys = Effect.fnUntraced(function* (directory: string, url: string) {
  const pay = (page: string) =>
    fetch(new URL(new URL(page).pathname, url), { method: "POST", body: new URLSearchParams({ outcome: "paid" }) })
  for (const name of ["OpenapiFetch", "HeyApi", "Orval"]) {
    const { journey }: { journey: Journey } = yield* Effect.promise(() => import(path.join(directory, `${name}.ts`)))
    const { bought, listed, total } = yield* Effect.promise(() => journey(url, pay))
    assert.lengthOf(bought, 2, name)
    assert.deepStrictEqual([total, listed.length], [2, 1], name)
    assert.include(bought, listed[0], name)
  }
})

layer(TestApp.layerSandbox, { excludeTestServices: true })("Clients that generators make from the document", (it) => {
  it.effect(
    "type-check under strict settings, and buy and list proxies",
    () =>
      Effect.gen(function* () {
        yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
        const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
        const directory = yield* generated(url)
        const typeCheck = run(path.join(modules, "typescript/bin/tsc"), "--project", directory)
        yield* Effect.all([typeCheck, journeys(directory, url)], { concurrency: 2 })
      }),
    300_000
  )
})
