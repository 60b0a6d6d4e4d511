import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../src/platform/postgres/EmbeddedPostgres.ts"

/** Starts a PostgreSQL with the settings of the embedded one, in a folder that is deleted with the scope. */
export const start = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peers-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory })
})
