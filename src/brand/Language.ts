import { Record } from "effect"
import { memoize } from "effect/Function"
import type { Brand } from "./Brand.ts"
import type { LanguageCode } from "./LanguageCode.ts"
import { pageTexts, type PageTexts } from "./PageTexts.ts"

const regions = { en: { money: "en-US", time: "en-GB" }, de: { money: "de-DE", time: "de-DE" } } as const

/** The texts of a language, and its ways to write numbers and times. `Intl` objects are costly, so each is made once. */
export const make = (code: LanguageCode, texts: PageTexts) => {
  const { money, time } = regions[code]
  return {
    code,
    texts,
    country: new Intl.DisplayNames(code, { type: "region" }),
    day: new Intl.DateTimeFormat(time, { dateStyle: "long", timeZone: "UTC" }),
    dollars: new Intl.NumberFormat(money, { style: "currency", currency: "USD", maximumFractionDigits: 6 }),
    month: new Intl.DateTimeFormat(time, { month: "short", year: "numeric", timeZone: "UTC" }),
    minute: new Intl.DateTimeFormat(time, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
    number: new Intl.NumberFormat(money, { maximumFractionDigits: 6 }),
    percent: new Intl.NumberFormat(money, { style: "percent", maximumFractionDigits: 2 }),
    plural: new Intl.PluralRules(code),
    relative: new Intl.RelativeTimeFormat(code, { numeric: "auto" }),
    shortDay: new Intl.DateTimeFormat(time, { day: "numeric", month: "short", timeZone: "UTC" }),
    hour: new Intl.DateTimeFormat(time, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })
  }
}

export type Language = ReturnType<typeof make>

export const english: Language = make("en", pageTexts)

/** The languages of a brand. They are made once for each brand. */
export const ofBrand = memoize((brand: Pick<Brand, "name" | "texts">): Readonly<Record<LanguageCode, Language>> =>
  Record.map(brand.texts, (texts, code) =>
    make(
      code,
      Record.map(texts, (text) => text.replaceAll("{{brand}}", brand.name))
    )
  )
)
