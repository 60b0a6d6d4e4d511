import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** Puts axe into a page. A script tag would be refused by the policy of the page. */
export const load = async (page: Page): Promise<void> => void (await page.evaluate(source))

/** The serious faults that axe finds on a page; with `contrastOnly`, those of its colours. */
export const faultsOf = async (page: Page, contrastOnly = false): Promise<ReadonlyArray<string>> => {
  const runOnly = contrastOnly ? { runOnly: ["color-contrast", "link-in-text-block"] } : {}
  const options = { resultTypes: ["violations"], iframes: false, ...runOnly }
  const run = () =>
    page.evaluate<ReadonlyArray<Violation>>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`)
  // A page that waits for a payment loads itself again, and axe is gone.
  const violations = await run().catch(() => load(page).then(run))
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 200)}`)
}
