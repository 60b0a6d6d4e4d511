import { Effect } from "effect"
import * as fs from "node:fs"
import type * as Clock from "./Clock.ts"
import * as Instance from "./Instance.ts"

/** The findings of the product's own `reconcile` command. */
export const differences = (
  root: string,
  env: Readonly<Record<string, string>>,
  clock: Clock.Pace,
  log: string
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    const child = Instance.launch({ root, args: ["reconcile"], env }, clock, log)
    child.once("exit", (code) => {
      const said = fs.readFileSync(log, "utf8").trim().replaceAll("\n", "; ")
      resume(
        Effect.succeed(
          code === 0 ? [] : [`reconcile ends with 0: it ended with ${code}, and said ${said.slice(0, 300)}`]
        )
      )
    })
    return Instance.kill(child)
  })
