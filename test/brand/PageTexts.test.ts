import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import { german } from "../../src/brand/German.ts"
import { pageTexts, placeholder, type TextName } from "../../src/brand/PageTexts.ts"

const src = new URL("../../src/", import.meta.url)

const sourceOf = (folder: string) =>
  fs
    .readdirSync(new URL(folder, src), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => fs.readFileSync(new URL(`${folder}${file}`, src), "utf8"))
    .join("\n")

/** The sources of all pages, with each name of a text beside its function. */
const pages = (sourceOf("pages/") + sourceOf("dashboard/") + sourceOf("back-office/")).replace(/\(\s+"/g, '("')

const everything = sourceOf("").replace(/\(\s+"/g, '("')

/** A text may be named for one and for several (`counted`). A page, a mail or a notice says the texts of values. */
const isUsed = (name: string) => {
  const base = /^(.*)_(?:one|other)$/.exec(name)?.[1]
  return (
    pages.includes(`text("${name}"`) ||
    everything.includes(`say("${name}"`) ||
    (base !== undefined && pages.includes(`counted("${base}"`))
  )
}

it("every text of the catalog is on a page", () => {
  const names = Object.keys(pageTexts).filter((name) => !/^(failure|notice)\./.test(name))
  assert.deepStrictEqual(
    names.filter((name) => !isUsed(name)),
    []
  )
})

it("every notice of the catalog is a notice of a service", () => {
  const names = Object.keys(pageTexts).filter((name) => name.startsWith("notice."))
  const isSaid = (name: string) => everything.includes(`say("${name}"`) || everything.includes(`, "${name}")`)
  const chosen = everything.match(/"notice\.\w+" : "notice\.\w+"/g)?.join() ?? ""
  assert.deepStrictEqual(
    names.filter((name) => !isSaid(name) && !chosen.includes(`"${name}"`)),
    []
  )
})

it("every failure of the catalog is a failure of a service", () => {
  const source = sourceOf("")
  const tags = Object.keys(pageTexts).flatMap((name) => /^failure\.(.*)$/.exec(name)?.[1] ?? [])
  assert.deepStrictEqual(
    tags.filter((tag) => !source.includes(`class ${tag} extends `)),
    []
  )
})

it("a text that depends on a number exists for one and for several", () => {
  const names = Object.keys(pageTexts)
  const counted = Array.from(pages.matchAll(/counted\("([\w.]+)"/g), ([, name = ""]) => name)
  for (const name of counted) assert.includeMembers(names, [`${name}_one`, `${name}_other`])
})

const placeholdersIn = (text: string) =>
  [...new Set(Array.from(text.matchAll(placeholder), ([found]) => found))].toSorted()

it("the German texts have the placeholders of the English ones", () => {
  for (const name of Object.keys(pageTexts) as ReadonlyArray<TextName>)
    assert.deepStrictEqual(placeholdersIn(german[name]), placeholdersIn(pageTexts[name]), name)
})
