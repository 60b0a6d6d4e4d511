import { Effect, Schema } from "effect"

class NotJson extends Schema.TaggedError<NotJson>()("NotJson", {}) {}

/** What a reviver is told about a primitive: the text it was read from. */
interface Source {
  readonly source?: string
}

const withSources = (text: string, replace: (value: unknown, source: string) => unknown): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: Source) => replace(value, context?.source ?? ""))

/** Reads JSON with every number as the text it was written in: long ids and small fractions stay what they are. */
export const parse = (text: string) =>
  Effect.try({
    try: () => withSources(text, (value, source) => (typeof value === "number" ? source : value)),
    catch: () => new NotJson()
  })

/** The inner values come first, so what is inside an object or a list is JSON text already. */
const sorted = (value: unknown, source: string): string => {
  if (typeof value === "number") return source
  if (Array.isArray(value)) return `[${value.join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join(",")}}`
}

/** More than any call has; sorting takes time that grows with it. */
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

/** The same JSON without spaces and with the keys of all objects sorted, its numbers as they were written. */
export const canonical = (text: string) =>
  isTooDeep(text)
    ? Effect.fail(new NotJson())
    : Effect.try({ try: () => String(withSources(text, sorted)), catch: () => new NotJson() })
