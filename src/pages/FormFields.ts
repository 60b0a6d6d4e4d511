import { Record, Result, Schema, SchemaIssue } from "effect"
import type { Content, Phrase } from "./Html.ts"
import type { Submission } from "./Visitors.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const wrongFields = (issue: SchemaIssue.Issue) =>
  new Set(issuesOf(issue).issues.map(({ path: [part] = [] }) => (typeof part === "object" ? part.key : part)))

/** The fault of a field: a text, or one that depends on what was typed. */
export type FieldMessage = Phrase | ((typed: string) => Content)

/** Reads the fields of a form; a name that was sent more than once is a list. Fails with the message of each invalid field. */
export const readFields = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  messages: Readonly<Record<keyof S["Type"] & string, FieldMessage>>,
  { all }: Pick<Submission, "all">
): Result.Result<S["Type"], Readonly<Record<string, Content>>> => {
  const typed = Record.filter(
    Record.map(messages, (_, name) => {
      const [only, ...more] = all(name)
      return more.length === 0 ? only : all(name)
    }),
    (value) => value !== undefined
  )
  return Result.mapError(Schema.decodeUnknownResult(schema, { errors: "all" })(typed), ({ issue }) => {
    const wrong = wrongFields(issue)
    return Record.map(
      Record.filter(messages, (_, name) => wrong.has(name)),
      (message: FieldMessage, name) => (typeof message === "function" ? message(all(name).join("\n")) : message)
    )
  })
}
