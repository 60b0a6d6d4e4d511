import { Predicate, Schema } from "effect"
import type { McpSchema } from "effect/ai"

/** Structured content must be an object (revisions 2025-06-18 and 2025-11-25), so a table is a field of an object. */
const table = {
  type: "object",
  properties: { csv: { type: "string", description: "A table with a header row (RFC 4180), as in the text" } },
  required: ["csv"]
}

const isText = (schema: unknown) => Predicate.hasProperty(schema, "type") && schema.type === "string"

/** Describes a tool's structured content, without references because not every client follows them. */
export const outputSchema = (success: Schema.Top): McpSchema.ToolOutputJson => {
  const options = { referencePolicy: () => undefined, onExcessProperty: "ignore" } as const
  const { schema } = Schema.toJsonSchemaDocument(success, options)
  const { anyOf } = schema
  return Array.isArray(anyOf)
    ? { type: "object", anyOf: anyOf.map((member) => (isText(member) ? table : member)) }
    : schema
}

/** The answer of a tool. Revisions before 2025-06-18 have no structured content. */
export interface ToolAnswer {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }]
  readonly structuredContent: unknown
  readonly isError: boolean
}

const answer = (encoded: unknown, structuredContent: unknown, isError: boolean): ToolAnswer => {
  const text = typeof encoded === "string" ? encoded : JSON.stringify(encoded)
  return { content: [{ type: "text", text }], structuredContent, isError }
}

/** The success of a tool, as text and as an object for revisions with structured content. */
export const success = (encoded: unknown) =>
  answer(encoded, typeof encoded === "string" ? { csv: encoded } : encoded, false)

/** The failure of a tool, as text only: clients check structured content against the schema of a success. */
export const failure = (encoded: unknown) => answer(encoded, undefined, true)
