import { Schema } from "effect"
import { optional } from "../../platform/fields/Optional.ts"
import { Line } from "../../platform/fields/Line.ts"
import { withDefault } from "../../platform/fields/WithDefault.ts"
import { OrderSearch } from "../OrderSearch.ts"
import { ExportFormat } from "./ExportFile.ts"
import { ExportTemplate } from "./ExportTemplate.ts"

const { country, proxy_status, proxy_type, q, sort } = OrderSearch.fields

/** The settings of a link that is created: its name, its format, and the filter of the list. */
export const NewDownloadLink = Schema.Struct({
  name: Line(1, 100).annotate({ examples: ["Crawler in London"] }),
  format: withDefault(ExportFormat, "txt", "`txt`, `csv` or `json`"),
  template: optional(ExportTemplate, {
    description: "The line of each proxy, for `txt`; null or absent means a URL",
    examples: ["{host}:{port}:{username}:{password}"]
  }),
  q: optional(q.schema, { description: "Text that the proxies have in their address, login, notes or tags" }),
  country: optional(country.schema, { description: "Country of the proxies", examples: ["DE"] }),
  proxy_type: optional(proxy_type.schema),
  proxy_status: optional(proxy_status.schema, {
    description: "Status of the proxies; null or absent means all that run"
  }),
  sort: optional(sort.schema)
})
  .annotate({ examples: [{ name: "Crawler in London", format: "txt" }] })
  .check(
    Schema.makeFilter(
      ({ format, template }) =>
        template === undefined ||
        format === "txt" || { path: ["template"], issue: "Only the format txt has a template" }
    )
  )
export type NewDownloadLink = typeof NewDownloadLink.Type
