import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Clock from "../../faults/Clock.ts"
import { differences } from "../../faults/Reconcile.ts"

/** A program whose every command ends with `code`. */
const ending = (code: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = fs.mkdtempSync(path.join(tmpdir(), "reconcile-"))
      fs.mkdirSync(path.join(root, "src"))
      fs.writeFileSync(path.join(root, "src", "main.ts"), `console.log("checked"); process.exitCode = ${code}`)
      return root
    }),
    (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
  )

it.live.each([
  [0, []],
  [1, ["reconcile ends with 0: it ended with 1, and said checked"]],
  [2, ["reconcile ends with 0: it ended with 2, and said checked"]]
] as const)("The reconcile command that ends with %i", ([code, expected]) =>
  Effect.gen(function* () {
    const root = yield* ending(code)
    assert.deepStrictEqual(yield* differences(root, {}, Clock.begin(1), path.join(root, "log")), expected)
  })
)
