import { assert, describe, it } from "@effect/vitest"
import { german as texts } from "../../src/brand/German.ts"
import { make } from "../../src/brand/Language.ts"
import { html } from "../../src/pages/Html.ts"
import { lengthText, periodText, periodWithDays } from "../../src/dashboard/desk/PeriodText.ts"

const german = make("de", texts)

/** Periods, with their words in English and in German. */
const periods = [
  ["1 month", 30, 1, "1 month", "1 Monat"],
  ["12 months", 360, 12, "12 months", "12 Monate"],
  ["1 Year", 365, 12, "12 months", "12 Monate"],
  ["30 days", 30, 1, "30 days", "30 Tage"],
  ["1 day", 1, 0, "1 day", "1 Tag"],
  ["1 week", 7, 0, "7 days", "7 Tage"],
  ["Weekend", 3, 0, "Weekend", "Weekend"],
  ["1 month of fun", 30, 1, "1 month of fun", "1 month of fun"],
  ["<b>", 3, 0, "&lt;b&gt;", "&lt;b&gt;"]
] as const

const told = (period_name: string, period_days: number, period_months: number) =>
  html`${periodWithDays({ period_name, period_days, period_months })}`.text

describe("The words for periods", () => {
  it("count months and days in the language of the reader, and keep the names of the operator", () => {
    for (const [period_name, period_days, period_months, inEnglish, inGerman] of periods) {
      const shown = html`${periodText({ period_name, period_days, period_months })}`
      assert.deepStrictEqual([shown.text, shown.write(german)], [inEnglish, inGerman])
    }
    assert.strictEqual(html`${lengthText({ period_days: 7, period_months: 0 })}`.text, "7 days")
  })

  it("tell the days of a month, and of a name, but not twice", () => {
    assert.strictEqual(told("12 months", 360, 12), "12 months (360 days)")
    assert.strictEqual(told("Weekend", 3, 0), "Weekend (3 days)")
    assert.strictEqual(told("1 week", 7, 0), "7 days")
    assert.strictEqual(told("30 days", 30, 1), "30 days")
  })
})
