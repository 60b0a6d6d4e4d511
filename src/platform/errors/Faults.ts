import { SchemaIssue } from "effect"
import type { Fault } from "./RequestInvalid.ts"

const messages = SchemaIssue.makeFormatterStandardSchemaV1()
const kinds = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => issue._tag,
  checkHook: () => "Filter"
})

/** A value that fits no member of a union has one message: with types, such as `Expected number | null`, or with words in quotes. */
const wantsTypes = /^Expected [a-z]+(?: \| [a-z]+)+$/

const typeOf = (kind = ""): Fault["type"] =>
  kind === "MissingKey" ? "missing" : kind === "InvalidType" || wantsTypes.test(kind) ? "type_error" : "value_error"

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof part === "object" ? part.key : part
  return typeof key === "number" ? key : String(key)
}

const word = /"(?:[^"\\]|\\.)*"/
const wantsWords = new RegExp(`^Expected (${word.source}(?: \\| ${word.source})+)$`)

/** Writes a union of words as a list, without quotes. */
const worded = (message: string) => {
  const [, words] = wantsWords.exec(message) ?? []
  if (words === undefined) return message
  return `Expected one of ${(words.match(new RegExp(word, "g")) ?? []).map((quoted) => JSON.parse(quoted)).join(", ")}`
}

/** The most faults that are told of one request. */
export const mostFaults = 100

/** No fault repeats a long text that was sent. */
const mostCharacters = 300

/** The faults of what stands at a place (`body`, `query`, `path`, `header` or `arguments`). */
export const faultsAt = (place: string, issue: SchemaIssue.Issue): ReadonlyArray<Fault> => {
  const tags = kinds(issue).issues
  const told = messages(issue).issues.slice(0, mostFaults)
  return told.map(({ message, path = [] }, index) => ({
    loc: [place, ...path.map(segment)],
    msg: worded(message).slice(0, mostCharacters),
    type: typeOf(tags[index]?.message)
  }))
}
