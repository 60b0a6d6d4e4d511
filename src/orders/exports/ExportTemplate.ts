import { Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import { schemeOf } from "../ProxyAddress.ts"
import type { ExportedRow } from "./ExportedProxy.ts"

/** Each line of an export is one proxy, so a note with line breaks must not add any. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, " ")

const values = {
  protocol: schemeOf,
  host: ({ host }) => host,
  port: ({ port }) => String(port),
  username: ({ username }) => username,
  password: ({ password }) => password,
  country: ({ country }) => country,
  city: ({ city }) => oneLine(city ?? ""),
  name: ({ notes }) => oneLine(notes ?? "")
} as const satisfies Record<string, (row: ExportedRow) => string>

const isKnown = (name: string): name is keyof typeof values => Object.hasOwn(values, name)

const placeholder = /\{([^{}]*)\}/g

const known = Object.keys(values)
  .map((name) => `{${name}}`)
  .join(" ")

/** A line of an export in a format of one's own: text with placeholders such as `{host}`. Refuses unknown ones. */
export const ExportTemplate = Text(1, 500).check(
  Schema.makeFilter(
    (template) =>
      [...template.matchAll(placeholder)].every(([, name = ""]) => isKnown(name)) ||
      `The known placeholders are ${known}`
  )
)

/** Fills the placeholders of a template with the values of a proxy, as they are. */
export const fill = (template: string, row: ExportedRow): string =>
  template.replace(placeholder, (whole, name: string) => (isKnown(name) ? values[name](row) : whole))
