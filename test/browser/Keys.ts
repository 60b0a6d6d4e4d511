import { assert } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"

/** The most tabulators that lead to anything of a page. */
const most = 80

export const isFocused = async (there: Locator) => (await there.and(there.page().locator(":focus")).count()) === 1

/** Says why a person cannot see where the focus is; runs in the page. */
const hiddenFocus = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body) return undefined
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) return "no outline: " + one.outerHTML.slice(0, 150)
  const { bottom, height, left, right, top, width } = one.getBoundingClientRect()
  if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth || width * height === 0)
    return "out of sight: " + one.outerHTML.slice(0, 150)
  const at = document.elementFromPoint(left + width / 2, Math.min(Math.max(top + height / 2, 1), innerHeight - 1))
  const isCovered = at !== null && !one.contains(at) && !at.contains(one) && ![...(one.labels ?? [])].some((it) => it.contains(at))
  return isCovered ? "covered: " + one.outerHTML.slice(0, 150) : undefined
})()`

/** Presses the tabulator until the focus is there; it must be visible on the way. */
const reach = async (page: Page, there: Locator): Promise<void> => {
  await there.waitFor()
  for (let presses = 0; presses < most; presses++) {
    if (await isFocused(there)) return
    await page.keyboard.press("Tab")
    assert.isUndefined(await page.evaluate(hiddenFocus), page.url())
  }
  assert.fail(`the focus does not come to ${there.toString()} of ${page.url()}`)
}

/** Moves the focus there and presses a key. */
export const press = async (page: Page, there: Locator, key = "Enter"): Promise<void> => {
  await reach(page, there)
  await page.keyboard.press(key)
}

/** Moves the focus to a field and types. */
export const type = async (page: Page, field: Locator, text: string): Promise<void> => {
  await reach(page, field)
  await page.keyboard.press("Control+a")
  await page.keyboard.type(text)
}
