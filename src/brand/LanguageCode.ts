import { Schema } from "effect"

/** The languages of pages and mails by code (ISO 639-1), with their own names. */
export const names = { en: "English", de: "Deutsch" } as const

/** A language of pages and mails. */
export const LanguageCode = Schema.Literals(["en", "de"] satisfies ReadonlyArray<keyof typeof names>).annotate({
  examples: ["en"]
})
export type LanguageCode = keyof typeof names

/** All codes; English is the first. */
export const codes: ReadonlyArray<LanguageCode> = LanguageCode.literals

const isCode = Schema.is(LanguageCode)

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
  if (isCode(chosen)) return chosen
  return (
    preferences(accepted ?? "")
      .map(({ code }) => code)
      .find(isCode) ?? "en"
  )
}
