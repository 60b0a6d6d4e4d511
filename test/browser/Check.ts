import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { assertLooksRight } from "./World.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The serious faults that axe finds on a page. A script tag would be refused by the policy of the page. */
const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: ReadonlyArray<{ id: string; impact: string; nodes: ReadonlyArray<{ html: string }> }>
  }
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
}

/** Looks at a page: contrast, width, names of fields, axe, and its size. */
export const check = async (page: Page, name: string) => {
  await assertLooksRight(page, `desk-${name}`)
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    assert.deepStrictEqual(await faultsOf(page), [], `${name} ${width}`)
  }
  assert.isBelow((await page.content()).length, 100_000, name)
}
