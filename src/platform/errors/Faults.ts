import { SchemaIssue } from "effect"
import type { Fault } from "./RequestInvalid.ts"

const messages = SchemaIssue.makeFormatterStandardSchemaV1()
const kinds = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => issue._tag,
  checkHook: () => "Filter"
})

/** Matches the message of a value that fits no member of a union of types, such as `Expected number | null`. */
const wantsTypes = /^Expected [a-z]+(?: \| [a-z]+)+$/

const typeOf = (kind = ""): Fault["type"] =>
  kind === "MissingKey" ? "missing" : kind === "InvalidType" || wantsTypes.test(kind) ? "type_error" : "value_error"

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof part === "object" ? part.key : part
  return typeof key === "number" ? key : String(key)
}

const word = /"(?:[^"\\]|\\.)*"/
const wantsWords = new RegExp(`^Expected (${word.source}(?: \\| ${word.source})+)$`)

/** Rewrites the message of a union of quoted words as a list without quotes. */
const worded = (message: string) => {
  const [, words] = wantsWords.exec(message) ?? []
  if (words === undefined) return message
  return `Expected one of ${(words.match(new RegExp(word, "g")) ?? []).map((quoted) => JSON.parse(quoted)).join(", ")}`
}

/** Limit of the faults that one response lists. */
export const mostFaults = 100

/** Length limit of a message, so that no fault repeats a long text of the client. */
const mostCharacters = 300

/** Lists the first faults of one part of a request: `body`, `query`, `path`, `header` or `arguments`. */
export const faultsAt = (place: string, issue: SchemaIssue.Issue, atMost = mostFaults): ReadonlyArray<Fault> => {
  const tags = kinds(issue).issues
  const found = messages(issue).issues.slice(0, atMost)
  return found.map(({ message, path = [] }, index) => ({
    loc: [place, ...path.map(segment)],
    msg: worded(message).slice(0, mostCharacters),
    type: typeOf(tags[index]?.message)
  }))
}
