import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import * as path from "node:path"

const module = pathToFileURL(path.resolve("src/platform/OpenFiles.ts")).href
const script = `import { limit } from ${JSON.stringify(module)}; console.log(limit())`

it("The limit of open files is the limit that the process started with", () => {
  const told = execFileSync(
    "/bin/sh",
    ["-c", 'ulimit -n 777 && exec "$0" --input-type=module -e "$1"', process.execPath, script],
    { encoding: "utf8" }
  )
  assert.strictEqual(told.trim(), "777")
})
