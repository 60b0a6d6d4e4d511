import { type Config, Schema, SchemaIssue } from "effect"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const named = (name: string, message: string) => (message.startsWith(name) ? message : `${name}: ${message}`)

/** Names a missing or malformed variable, and the value that it should have. */
export const explain = ({ cause }: Config.ConfigError): string =>
  Schema.isSchemaError(cause)
    ? issuesOf(cause.issue)
        .issues.map(({ message, path = [] }) => named(path.map(String).join("_"), message))
        .join("; ")
    : cause.message
