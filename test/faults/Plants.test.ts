import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { misfits } from "../../faults/Planting.ts"
import { plants } from "../../faults/Plants.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe("A planted bug", () => {
  it.each(plants)("$name removes text that exists", (plant) => {
    assert.deepStrictEqual(misfits(root, plant), [])
  })

  it("has a unique name", () => {
    assert.strictEqual(new Set(plants.map(({ name }) => name)).size, plants.length)
  })
})
