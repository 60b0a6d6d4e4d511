import { Effect } from "effect"
import { didYouMean } from "../platform/DidYouMean.ts"
import { type Check, failed } from "./Check.ts"
import { knownSettings } from "./KnownSettings.ts"
import { Machine } from "./Machine.ts"

/** Variables of Node.js and of the system. */
const others = /^(?:NODE_\w+|TZ|LANG|LC_\w+|PATH|HOME|UV_\w+|SSL_\w+)$/

const names: Check = {
  id: "ops.names",
  severity: "warning",
  run: Effect.gen(function* () {
    const { settingsInFile } = yield* Machine
    const unknown = settingsInFile().filter((name) => !others.test(name) && !knownSettings.includes(name))
    return unknown.length === 0
      ? undefined
      : failed(
          `The file .env has names that no setting has: ${unknown.map((name) => `${name}${didYouMean(name, knownSettings)}`).join(", ")}; correct or remove them (docs/configuration.md)`
        )
  })
}

export const checks: ReadonlyArray<Check> = [names]
