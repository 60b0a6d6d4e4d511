import { assert, describe, it } from "@effect/vitest"
import { type Brand, builtIn } from "../../src/brand/Brand.ts"
import { mailWords as english } from "../../src/brand/english/MailWords.ts"
import { mailWords as german } from "../../src/brand/german/MailWords.ts"
import { codes, type LanguageCode } from "../../src/brand/LanguageCode.ts"
import { builtInMails, mailNames, mailTemplates } from "../../src/brand/MailTemplates.ts"
import * as MailText from "../../src/brand/MailText.ts"

const placeholdersIn = (text: string) => Array.from(text.matchAll(/\{\{.*?\}\}/g), ([found]) => found).toSorted()

/** The lines with links, tokens and commands. */
const fixed = (text: string) => text.split("\n").filter((line) => line.startsWith("  "))

const write = (brand: Brand, code: LanguageCode) =>
  MailText.write(brand, code, "email_changed", { email: "a@b.example" }).text

describe("the built-in mails", () => {
  it("exist in each language, with the same placeholders", () => {
    for (const name of mailNames)
      for (const part of ["subject", "text"] as const)
        assert.deepStrictEqual(
          placeholdersIn(builtInMails.de[name][part]),
          placeholdersIn(builtInMails.en[name][part]),
          `${name}.${part}`
        )
    for (const code of codes) assert.sameMembers(Object.keys(builtInMails[code]), [...mailNames])
    for (const word of Object.keys(english) as ReadonlyArray<keyof typeof english>)
      assert.deepStrictEqual(placeholdersIn(german[word]), placeholdersIn(english[word]), word)
  })

  it("have no fault that the check of a brand would refuse", () => {
    for (const code of codes)
      for (const name of mailNames) {
        const { subject, text } = builtInMails[code][name]
        assert.deepStrictEqual(MailText.faultsOfSubject(name, subject, mailTemplates[name]), [])
        assert.deepStrictEqual(MailText.faultsOfText(name, text, mailTemplates[name]), [])
      }
  })

  it("keep commands and links in every language", () => {
    for (const name of mailNames)
      assert.deepStrictEqual(fixed(builtInMails.de[name].text), fixed(builtInMails.en[name].text), name)
  })

  it("name the support in their language, where it has an address and where it has none", () => {
    const brand = { ...builtIn, support_email: "help@acme.example" }
    assert.include(write(brand, "en"), "Write to our support (help@acme.example) now.")
    assert.include(write(brand, "de"), "Schreiben Sie jetzt an unseren Support (help@acme.example).")
    assert.notInclude(write(builtIn, "de"), "Support")
    const other = { ...builtIn.mails.de, email_changed: { subject: "A", text: "{{email}}: {{support}}" } }
    const without = { ...builtIn, mails: { ...builtIn.mails, de: other } }
    assert.strictEqual(write(without, "de"), "a@b.example: unseren Support")
    assert.strictEqual(MailText.signed(brand, "de", "Text").split("\n").at(-1), "Support: help@acme.example")
  })
})
