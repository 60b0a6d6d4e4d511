import { Config, Effect, Layer, Option, Record, Result } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Sender } from "../platform/mail/Sender.ts"
import { Brand, builtIn, legalNames, type LegalText, pageNames } from "./Brand.ts"
import { type BrandFault, BrandInvalid } from "./BrandFault.ts"
import * as BrandSettings from "./BrandSettings.ts"
import { builtInTexts } from "./BuiltInTexts.ts"
import * as Logo from "./Logo.ts"
import { codes, type LanguageCode } from "./LanguageCode.ts"
import { builtInMails, type MailName, mailNames, type MailWords, mailTemplates } from "./MailTemplates.ts"
import * as MailText from "./MailText.ts"
import * as Markdown from "./Markdown.ts"
import * as ReadPageTexts from "./ReadPageTexts.ts"

/** The folder of a language. English, the first language, needs no folder of its own. */
const folderOf = (parent: "mail" | "pages", code: LanguageCode) => (code === "en" ? parent : `${parent}/${code}`)

const mailFiles = (code: LanguageCode, name: MailName) =>
  [`${folderOf("mail", code)}/${name}.subject`, `${folderOf("mail", code)}/${name}.txt`] as const

const textsFile = (code: LanguageCode) => `${folderOf("pages", code)}/texts.json`

const known = new Set([
  "brand.json",
  "logo.svg",
  ...codes.flatMap((code) => mailNames.flatMap((name) => mailFiles(code, name))),
  ...legalNames.map((name) => `legal/${name}.md`),
  ...pageNames.map((name) => `pages/${name}.md`),
  ...codes.map(textsFile)
])

const mostBytes = 200 * 1024

/** The folders that may have folders in them. */
const parents = new Set(["", "mail", "pages"])

/** Lists the files of a folder and of the folders in it. Leaves out hidden files, such as those of git. */
const filesIn = (directory: string, below = ""): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(directory, below))
    .filter((name) => !name.startsWith("."))
    .toSorted()
    .flatMap((name) => {
      const file = path.posix.join(below, name)
      const isFolder = parents.has(below) && fs.statSync(path.join(directory, file)).isDirectory()
      return isFolder ? filesIn(directory, file) : [file]
    })

type Add = (faults: ReadonlyArray<BrandFault>) => void

/** Reads a text file. Lines end as on Linux, and the last one does not end. */
const textOf = (directory: string, file: string, add: Add): string | undefined => {
  const refuse = (reason: string) => add([{ file, reason }])
  const at = path.join(directory, file)
  if (!known.has(file)) refuse("is not a file of a brand (docs/brand.md)")
  else if (!fs.statSync(at).isFile()) refuse("is not a file")
  else if (fs.statSync(at).size > mostBytes) refuse("is larger than 200 KB")
  else {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(at))
      return text.replaceAll("\r\n", "\n").trimEnd()
    } catch (error) {
      refuse(error instanceof TypeError ? "is not UTF-8" : `cannot be read (${String(error)})`)
    }
  }
  return undefined
}

type Texts = ReadonlyMap<string, string>

const mailsIn = (texts: Texts, add: Add): Brand["mails"] =>
  Record.map(builtInMails, (mails, code) =>
    Record.map(mails as Record<MailName, MailWords>, (builtInWords, name) => {
      const template = mailTemplates[name]
      const [subjectFile, textFile] = mailFiles(code, name)
      const subject = texts.get(subjectFile)
      const text = texts.get(textFile)
      if (subject !== undefined) add(MailText.faultsOfSubject(subjectFile, subject, template))
      if (text !== undefined) add(MailText.faultsOfText(textFile, text, template))
      return { subject: subject ?? builtInWords.subject, text: text ?? builtInWords.text }
    })
  )

const exampleTitles: Record<LegalText["name"], string> = {
  terms: "Terms of service",
  privacy: "Privacy policy",
  refunds: "Refunds"
}

const legalIn = (texts: Texts, add: Add): ReadonlyArray<LegalText> =>
  legalNames.flatMap((name) => {
    const file = `legal/${name}.md`
    const text = texts.get(file)
    if (text === undefined) return []
    const { blocks, faults, title } = Markdown.parseTitled(file, text, exampleTitles[name])
    add(faults)
    return [{ name, title, blocks }]
  })

const pagesIn = (texts: Texts, add: Add): Brand["pages"] =>
  Object.fromEntries(
    pageNames.flatMap((name) => {
      const file = `pages/${name}.md`
      const text = texts.get(file)
      if (text === undefined) return []
      const { blocks, faults } = Markdown.parse(file, text)
      add(faults)
      return [[name, blocks]]
    })
  )

const pageTextsIn = (texts: Texts, add: Add): Brand["texts"] =>
  Record.map(builtInTexts, (builtInWords, code) => {
    const file = textsFile(code)
    const text = texts.get(file)
    if (text === undefined) return builtInWords
    const read = ReadPageTexts.parse(file, text, builtInWords)
    add(read.faults)
    return read.texts
  })

const settingsIn = (texts: Texts, add: Add): BrandSettings.BrandSettings => {
  const text = texts.get("brand.json")
  if (text === undefined) return BrandSettings.builtInSettings
  return Result.getOrElse(BrandSettings.parse("brand.json", text), (faults) => {
    add(faults)
    return BrandSettings.builtInSettings
  })
}

const logoIn = (texts: Texts, add: Add): Brand["logo"] => {
  const text = texts.get("logo.svg")
  if (text === undefined) return undefined
  const { faults, logo } = Logo.parse("logo.svg", text)
  add(faults)
  return logo
}

interface Checked {
  /** The brand; correct only without faults. */
  readonly brand: Brand
  readonly faults: ReadonlyArray<BrandFault>
  /** The number of files. */
  readonly files: number
}

/** Reads the brand of a folder, with all its faults. A file that is missing has the built-in text. */
export const check = (directory: string): Checked => {
  const faults: Array<BrandFault> = []
  const add: Add = (found) => faults.push(...found)
  const texts = new Map<string, string>()
  try {
    for (const file of filesIn(directory)) {
      const text = textOf(directory, file, add)
      if (text !== undefined) texts.set(file, text)
    }
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT"
    const reason = isMissing ? "is not there" : `cannot be read (${String(error)})`
    return { brand: builtIn, faults: [{ file: directory, reason }], files: 0 }
  }
  const brand = {
    ...settingsIn(texts, add),
    logo: logoIn(texts, add),
    mails: mailsIn(texts, add),
    legal: legalIn(texts, add),
    pages: pagesIn(texts, add),
    texts: pageTextsIn(texts, add)
  }
  return { brand, faults, files: texts.size }
}

/** `BRAND_DIR`: the folder of the operator's brand. */
export const setting = Config.option(Config.NonEmptyString("BRAND_DIR"))

/** Reads the folder of `BRAND_DIR`; without it the brand is the built-in one. */
export const read = Effect.gen(function* () {
  const directory = yield* setting
  if (Option.isNone(directory)) return builtIn
  const { brand, faults } = check(directory.value)
  return faults.length === 0 ? brand : yield* new BrandInvalid({ faults })
})

const senderOf = ({ name, sender_email, sender_name = name }: Brand): Sender => ({
  name: sender_name,
  ...(sender_email !== undefined && { address: sender_email })
})

/** The brand of the process, and the sender that it names. A fault of the folder stops the start. */
export const layer = Layer.unwrap(
  Effect.map(read, (brand) => Layer.merge(Layer.succeed(Brand, brand), Layer.succeed(Sender, senderOf(brand))))
)

/** The files of the built-in brand, as an operator can copy and change them. */
export const builtInFiles: ReadonlyArray<readonly [file: string, text: string]> = [
  ["brand.json", `${JSON.stringify(BrandSettings.builtInSettings, null, 2)}\n`],
  ...codes.map((code) => [textsFile(code), `${JSON.stringify(builtInTexts[code], null, 2)}\n`] as const),
  ...codes.flatMap((code) =>
    mailNames.flatMap((name) => {
      const { subject, text } = builtInMails[code][name]
      const [subjectFile, textFile] = mailFiles(code, name)
      return [
        [subjectFile, `${subject}\n`],
        [textFile, `${text}\n`]
      ] as const
    })
  )
]
