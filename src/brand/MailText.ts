import type { Brand } from "./Brand.ts"
import { type BrandFault, lineAt } from "./BrandFault.ts"
import { mailWords as english } from "./english/MailWords.ts"
import { mailWords as german } from "./german/MailWords.ts"
import type { LanguageCode } from "./LanguageCode.ts"
import {
  general,
  type MailName,
  type MailTemplate,
  type MailValues,
  type MailWords,
  ofSubjects
} from "./MailTemplates.ts"

const placeholder = /\{\{([a-z_]+)\}\}/g
/** Also finds placeholders that are misspelt or not closed. */
const opening = /\{\{([^{}\n]*)(\}\})?/g

/** Limit of a subject's characters. */
const longestSubject = 150

/** The mail ends with two hyphens and a space before the sender's lines, so that mail programs recognise these lines. */
const beforeSignature = "\n\n-- \n"

const unknownIn = (file: string, text: string, known: ReadonlyArray<string>): ReadonlyArray<BrandFault> =>
  [...text.matchAll(opening)]
    .filter(([, name = "", closing]) => closing === undefined || !known.includes(name))
    .map(({ 0: found, index }) => ({
      file,
      line: lineAt(text, index),
      reason: `${found} is not a placeholder of this text; it has ${known.map((name) => `{{${name}}}`).join(", ")}`
    }))

/** Finds the faults of the text of a mail. */
export const faultsOfText = (file: string, text: string, template: MailTemplate): ReadonlyArray<BrandFault> => [
  ...unknownIn(file, text, [...general, ...template.placeholders]),
  ...(text.trim() === "" ? [{ file, line: 1, reason: "is empty" }] : []),
  ...template.needed
    .filter((name) => !text.includes(`{{${name}}}`))
    .map((name) => ({ file, line: 1, reason: `needs the placeholder {{${name}}}` }))
]

/** Finds the faults of the subject of a mail. */
export const faultsOfSubject = (
  file: string,
  text: string,
  { placeholders }: MailTemplate
): ReadonlyArray<BrandFault> => [
  ...unknownIn(
    file,
    text,
    ofSubjects.filter((name) => name === "brand" || placeholders.includes(name))
  ),
  ...(text.includes("\n") ? [{ file, line: 2, reason: "Expected one line" }] : []),
  ...(text.trim() === "" || text.length > longestSubject
    ? [{ file, line: 1, reason: `Expected 1 to ${longestSubject} characters` }]
    : [])
]

const words: Readonly<Record<LanguageCode, Readonly<Record<keyof typeof english, string>>>> = {
  en: english,
  de: german
}

/** Writes the values into a text. Leaves a line out when all its placeholders are empty. */
const fill = (template: string, values: Readonly<Record<string, string>>, language: LanguageCode): string => {
  const isNeeded = (line: string) => {
    const names = [...line.matchAll(placeholder)].map(([, name = ""]) => name)
    return names.length === 0 || names.some((name) => values[name] !== "")
  }
  /** Stands for values that are empty in a line with other values. */
  const emptyNames: Readonly<Record<string, string>> = { support: words[language].our_support }
  const lines = template.split("\n").filter(isNeeded)
  return lines
    .join("\n")
    .trimEnd()
    .replace(placeholder, (_, name: string) => values[name] || (emptyNames[name] ?? ""))
}

/** Names the support with its addresses, in the given words; empty without an address. */
const supportOf = ({ support_email, support_url }: Brand, template: string): string => {
  const addresses = [support_email, support_url].filter((address) => address !== undefined).join(", ")
  return addresses === "" ? "" : template.replace("{{addresses}}", () => addresses)
}

/** Writes a mail in the words of the brand, in a language. */
export const write = <N extends MailName>(
  brand: Brand,
  language: LanguageCode,
  name: N,
  values: MailValues<N>
): MailWords => {
  const { subject, text } = brand.mails[language][name]
  const all = { brand: brand.name, support: supportOf(brand, words[language].our_support_at), ...values }
  return { subject: fill(subject, all, language), text: fill(text, all, language) }
}

/** Ends a mail with the company, its address and the support, if the brand has any of them. */
export const signed = (brand: Brand, language: LanguageCode, text: string): string => {
  const support = supportOf(brand, words[language].support_line)
  const lines = [brand.company, brand.address, support].filter((line) => line !== undefined && line !== "")
  return lines.length === 0 ? text : [text, [brand.name, ...lines].join("\n")].join(beforeSignature)
}
