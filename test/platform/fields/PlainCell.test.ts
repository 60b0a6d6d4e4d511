import { assert, describe, it } from "@effect/vitest"
import { plainCell } from "../../../src/platform/fields/PlainCell.ts"

/** White space and invisible characters, by which a formula could hide. */
const blanks = ["", " ", "\t", "\r", "\n", "\v", "\f", "\0", "\u0085", "\u00a0", "\u2003", "\u2028", "\u2029", "\u3000"]
const invisible = ["\u200b", "\u200e", "\u2060", "\ufeff"]

describe("A cell of a CSV file", () => {
  it("is no formula, also after white space", () => {
    for (const blank of [...blanks, ...invisible, " \t\u00a0"])
      for (const sign of ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
        assert.match(plainCell(`${blank}${sign}cmd|' /C calc'!A0`), /^'/, JSON.stringify(blank + sign))
  })

  it("stands on one line", () => {
    for (const blank of blanks.slice(2).filter((blank) => !/[\u00a0\u2003\u3000]/.test(blank)))
      assert.strictEqual(plainCell(`a${blank}${blank}b`), "a b", JSON.stringify(blank))
  })

  it("keeps every other text", () => {
    for (const text of ["", "plain", "a=b", "1-2", "user@host", " a", "Zürich, 東京", "'=1", "\u{1F600}"])
      assert.strictEqual(plainCell(text), text)
  })
})
