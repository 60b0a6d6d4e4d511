import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { gigabytes, until } from "../../src/pages/Format.ts"
import { html } from "../../src/pages/Html.ts"

describe("an amount of traffic", () => {
  it.each([
    [0, "0 GB"],
    [328e-9, "328 B"],
    [1e-6, "1 kB"],
    [0.000328, "328 kB"],
    [0.0123456, "12.3 MB"],
    [0.9994, "999 MB"],
    [1, "1 GB"],
    [12.345, "12.3 GB"],
    [1234.5, "1,235 GB"]
  ])("of %d GB is %s", (gb, words) => {
    assert.strictEqual(html`${gigabytes(gb)}`.text, words)
  })
})

describe("a distance from now", () => {
  const now = DateTime.makeUnsafe("2026-01-01T12:00:00Z")
  it.each([
    [30 * 86_400 - 1, "in 30 days"],
    [29.4 * 86_400, "in 29 days"],
    [86_400 - 1, "tomorrow"],
    [5 * 3600 + 1700, "in 5 hours"],
    [3600 - 1, "in 1 hour"],
    [59, "in 1 minute"],
    [0, "this minute"],
    [-3600, "1 hour ago"],
    [-3 * 86_400 - 60, "3 days ago"]
  ])("of %d seconds is: %s", (seconds, words) => {
    const time = DateTime.add(now, { milliseconds: seconds * 1000 })
    assert.include(until(time, now).text, `>${words}</time>`)
  })
})
