import { Effect, Schema } from "effect"

class NotJson extends Schema.TaggedError<NotJson>()("NotJson", {}) {}

/** The context of a JSON reviver: the source text of a primitive value. */
interface Source {
  readonly source?: string
}

const withSources = (text: string, replace: (value: unknown, source: string) => unknown): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: Source) => replace(value, context?.source ?? ""))

/** Parses JSON and returns every number as its source text, so that long ids and small fractions stay exact. */
export const parse = (text: string) =>
  Effect.try({
    try: () => withSources(text, (value, source) => (typeof value === "number" ? source : value)),
    catch: () => new NotJson()
  })

/** Inner values are replaced first, so the members of an object or a list are already JSON text. */
const sorted = (value: unknown, source: string): string => {
  if (typeof value === "number") return source
  if (Array.isArray(value)) return `[${value.join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(",")}}`
}

/** Deeper than any genuine call. The limit bounds the time of sorting. */
const deepest = 20

const isTooDeep = (text: string): boolean => {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length && depth <= deepest; at++) {
    const character = text.charAt(at)
    if (character === '"') isInString = !isInString
    else if (isInString) at += character === "\\" ? 1 : 0
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
  }
  return depth > deepest
}

/** Writes the same JSON without spaces, with sorted keys in all objects and with numbers as in the source. */
export const canonical = (text: string) =>
  isTooDeep(text)
    ? Effect.fail(new NotJson())
    : Effect.try({ try: () => String(withSources(text, sorted)), catch: () => new NotJson() })
