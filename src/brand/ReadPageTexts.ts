import { Result, Schema } from "effect"
import { didYouMean } from "../platform/DidYouMean.ts"
import type { BrandFault } from "./BrandFault.ts"
import * as JsonFault from "./JsonFault.ts"
import { pageTexts, type PageTexts, placeholder, type TextName } from "./PageTexts.ts"

const names = Object.keys(pageTexts) as ReadonlyArray<TextName>
const isName = (name: string): name is TextName => Object.hasOwn(pageTexts, name)

/** Limit of a text's characters. */
const longest = 1000

const isObject = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

const namesIn = (text: string) => [...text.matchAll(placeholder)].map(([found]) => found)

/** Says what is wrong with a text. A page needs each placeholder of its built-in text, such as the name of an app. */
const faultsOf = (name: string, text: unknown): ReadonlyArray<string> => {
  if (!isName(name)) return [`${name} is not a text of a page${didYouMean(name, names)}`]
  if (typeof text !== "string" || text.trim() === "" || text.length > longest || /\p{Cc}/u.test(text))
    return [`${name}: Expected one line of 1 to ${longest} characters`]
  const needed = namesIn(pageTexts[name]).filter((found) => found !== "{{brand}}")
  const given = namesIn(text)
  const known = ["{{brand}}", ...needed]
  return [
    ...given
      .filter((found) => !known.includes(found))
      .map((found) => `${name}: ${found} is not a placeholder of this text; it has ${known.join(", ")}`),
    ...needed.filter((found) => !given.includes(found)).map((found) => `${name}: needs the placeholder ${found}`)
  ]
}

interface Read {
  /** The built-in texts with those of the file; correct only without faults. */
  readonly texts: PageTexts
  readonly faults: ReadonlyArray<BrandFault>
}

/** Reads the texts of the pages that a brand replaces: a JSON object of names and texts. */
export const parse = (file: string, text: string, builtIn: PageTexts): Read => {
  const read = Result.try({
    try: () => JSON.parse(text) as unknown,
    catch: (error): BrandFault => ({ file, ...JsonFault.of(text, error) })
  })
  if (Result.isFailure(read)) return { texts: builtIn, faults: [read.failure] }
  const given = read.success
  if (!isObject(given)) return { texts: builtIn, faults: [{ file, line: 1, reason: "Expected an object of texts" }] }
  const faults = Object.entries(given).flatMap(([name, value]) =>
    faultsOf(name, value).map((reason) => ({ file, line: JsonFault.lineOf(text, [name]), reason }))
  )
  return { texts: { ...builtIn, ...(given as Partial<PageTexts>) }, faults }
}
