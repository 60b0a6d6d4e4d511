import { Schema } from "effect"
import { oneLine } from "../../platform/fields/OneLine.ts"
import { Text } from "../../platform/fields/Text.ts"
import { schemeOf } from "../ProxyAddress.ts"
import type { ExportedRow } from "./ExportedProxy.ts"

const values = {
  protocol: schemeOf,
  host: ({ host }) => host,
  port: ({ port }) => String(port),
  username: ({ username }) => username,
  password: ({ password }) => password,
  country: ({ country }) => country,
  city: ({ city }) => city ?? "",
  name: ({ notes }) => notes ?? ""
} as const satisfies Record<string, (row: ExportedRow) => string>

const isKnown = (name: string): name is keyof typeof values => Object.hasOwn(values, name)

const placeholder = /\{([^{}]*)\}/g

const known = Object.keys(values)
  .map((name) => `{${name}}`)
  .join(" ")

/** Lists the known placeholders of a template, each as often as it stands there. */
export const placeholders = (template: string): ReadonlyArray<keyof typeof values> =>
  Array.from(template.matchAll(placeholder), ([, name = ""]) => name).filter(isKnown)

/** The most placeholders of a template. */
const placeholdersAtMost = 20

/** A line of an export in a format of one's own: text with placeholders such as `{host}`. Refuses unknown ones. */
export const ExportTemplate = Text(1, 500).check(
  Schema.makeFilter(
    (template) =>
      [...template.matchAll(placeholder)].every(([, name = ""]) => isKnown(name)) ||
      `The known placeholders are ${known}`
  ),
  Schema.makeFilter(
    (template) =>
      placeholders(template).length <= placeholdersAtMost || `A line has at most ${placeholdersAtMost} placeholders`
  )
)

/** Fills the placeholders of a template with the values of a proxy. Each line of an export is one proxy, so no value adds one. */
export const fill = (template: string, row: ExportedRow): string =>
  template.replace(placeholder, (whole, name: string) => (isKnown(name) ? oneLine(values[name](row)) : whole))
