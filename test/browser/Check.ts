import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { assertLooksRight } from "./World.ts"

/** Looks at a page of the dashboard, and at its size. */
export const check = async (page: Page, name: string) => {
  await assertLooksRight(page, `desk-${name}`)
  assert.isBelow(Buffer.byteLength(await page.content()), 100_000, name)
}
