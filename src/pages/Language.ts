import { german } from "../brand/German.ts"
import { pageTexts, type PageTexts } from "../brand/PageTexts.ts"

/** The languages of pages and mails by code (ISO 639-1), with their own names. */
export const names = { en: "English", de: "Deutsch" } as const
export type LanguageCode = keyof typeof names

const isCode = (text: string): text is LanguageCode => Object.hasOwn(names, text)

/** The texts that are built in. */
export const builtIn: Readonly<Record<LanguageCode, PageTexts>> = { en: pageTexts, de: german }

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
    minute: new Intl.DateTimeFormat(time, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
    number: new Intl.NumberFormat(money, { maximumFractionDigits: 6 }),
    plural: new Intl.PluralRules(code),
    relative: new Intl.RelativeTimeFormat(code, { numeric: "auto" }),
    shortDay: new Intl.DateTimeFormat(time, { day: "numeric", month: "short", timeZone: "UTC" }),
    hour: new Intl.DateTimeFormat(time, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })
  }
}

export type Language = ReturnType<typeof make>

export const english: Language = make("en", pageTexts)

/** A language that `Accept-Language` names, in its order of preference. */
interface Preference {
  readonly code: string
  readonly weight: number
}

/** Limit of the entries that are read of a header. */
const mostEntries = 20

const preferences = (header: string): ReadonlyArray<Preference> =>
  header
    .split(",", mostEntries)
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return { code: tag.split("-")[0] ?? "", weight: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)

/** Chooses a language: the one that the person chose, else the first of the browser that exists, else English. */
export const choose = (chosen: string | undefined, accepted: string | undefined): LanguageCode => {
  if (chosen !== undefined && isCode(chosen)) return chosen
  return (
    preferences(accepted ?? "")
      .map(({ code }) => code)
      .find(isCode) ?? "en"
  )
}
