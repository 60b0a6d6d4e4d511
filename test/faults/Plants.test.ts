import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { fromFileSystem } from "effect/sql/MigratorFileSystem"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { misfits, plant } from "../../faults/Planting.ts"
import { plants } from "../../faults/Plants.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe("A planted bug", () => {
  it.each(plants)("$name removes text that exists", (plant) => {
    assert.deepStrictEqual(misfits(root, plant), [])
  })

  it("has a unique name", () => {
    assert.strictEqual(new Set(plants.map(({ name }) => name)).size, plants.length)
  })

  it("is described", () => {
    const described = fs.readFileSync(join(root, "docs/reliability.md"), "utf8").matchAll(/^\| `([a-z-]+)` \|/gm)
    assert.sameMembers(
      [...described].map(([, name]) => name),
      plants.map(({ name }) => name)
    )
  })

  const ofSchema = plants.filter(({ edits }) => edits.some(({ file }) => file.startsWith("migrations/")))

  it.live.each(ofSchema)("$name leaves a schema that can be made", (planted) =>
    Effect.gen(function* () {
      const loader = fromFileSystem(join(yield* plant(root, planted), "migrations"))
      const database = PgClient.layer({ ...(yield* TestDatabase.configEmpty), maxConnections: 1 })
      const made = yield* Effect.provide(Migrator.make({})({ loader }), [database, NodeServices.layer])
      assert.isNotEmpty(made)
    }).pipe(Effect.scoped)
  )
})
