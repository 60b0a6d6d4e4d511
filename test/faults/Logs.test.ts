import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Logs from "../../faults/Logs.ts"
import { GaveUp } from "../../faults/Waiting.ts"

type Result = { readonly violations: ReadonlyArray<string> }

/** The files that are left of a run that wrote a log and a database, and then had this outcome. */
const leftBy = Effect.fnUntraced(function* (outcome: Effect.Effect<Result, GaveUp>) {
  let at = ""
  const run = Effect.gen(function* () {
    const { directory, postgres } = yield* Logs.directory
    at = directory
    const logs = path.join(directory, "product")
    for (const made of [logs, postgres]) {
      fs.mkdirSync(made)
      fs.writeFileSync(path.join(made, "log"), "")
    }
    return yield* Logs.keptIfOfUse(outcome, logs)
  }).pipe(Effect.scoped)
  const fiber = yield* Effect.forkChild(run, { startImmediately: true })
  if (outcome === Effect.never) yield* Fiber.interrupt(fiber)
  else yield* Fiber.await(fiber)
  const left = fs.existsSync(at) ? fs.readdirSync(at, { recursive: true, encoding: "utf8" }).toSorted() : undefined
  fs.rmSync(at, { recursive: true, force: true })
  return left
})

describe("The logs of a run that", () => {
  it.effect.each([
    ["violates nothing, nothing is left", Effect.succeed({ violations: [] }), undefined],
    ["was interrupted, nothing is left", Effect.never, undefined],
    ["violates something, its logs are left", Effect.succeed({ violations: ["one"] }), ["product", "product/log"]],
    ["gives up, its logs are left", Effect.fail(new GaveUp({ message: "" })), ["product", "product/log"]],
    ["dies, its logs are left", Effect.die(new Error("not ready")), ["product", "product/log"]]
  ] as const)("%s", ([, outcome, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* leftBy(outcome), expected?.slice())
    })
  )
})
