import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import { pageTexts } from "../../src/brand/PageTexts.ts"

const dashboard = new URL("../../src/dashboard/", import.meta.url)

it("every text of the catalog is on a page", () => {
  const source = fs
    .readdirSync(dashboard)
    .map((file) => fs.readFileSync(new URL(file, dashboard), "utf8"))
    .join("\n")
  assert.deepStrictEqual(
    Object.keys(pageTexts).filter((name) => !source.includes(`text("${name}"`)),
    []
  )
})
