import { Schema, Struct } from "effect"
import { plainCell } from "../../platform/fields/PlainCell.ts"
import { Order } from "../Order.ts"

/** The columns of an order that an export needs. */
export const ExportedRow = Schema.Struct({
  ...Struct.pick(Order.fields, [
    "id",
    "proxy_type",
    "proxy_status",
    "protocol",
    "country",
    "city",
    "auto_renew",
    "notes",
    "tags"
  ]),
  host: Schema.String,
  port: Schema.Int,
  username: Schema.String,
  password: Schema.String,
  expires_at: Schema.Date
})
export type ExportedRow = typeof ExportedRow.Type

const { city, country, id, notes, proxy_status, proxy_type, tags, protocol } = ExportedRow.fields

/** A proxy in an export. */
export const ExportedProxy = Schema.Struct({
  order_id: Schema.toEncoded(id).annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  proxy_type,
  proxy_status,
  protocol,
  host: Schema.String.annotate({ examples: ["127.0.0.1"] }),
  port: Schema.Int.annotate({ examples: [20000] }),
  username: Schema.String.annotate({ examples: ["u5k2m8p1"] }),
  password: Schema.String.annotate({ examples: ["f3Zk9Qw1Lm7s"] }),
  country: country.annotate({ examples: ["DE"] }),
  city: city.annotate({ examples: ["Munich"] }),
  expires_at: Schema.String,
  auto_renew: Schema.Boolean,
  notes: notes.annotate({ examples: ["Crawler"] }),
  tags: tags.annotate({ examples: [["london"]] })
}).annotate({ identifier: "ExportedProxy" })
type ExportedProxy = typeof ExportedProxy.Type

export const exportedProxy = ({ expires_at, id, ...row }: ExportedRow): ExportedProxy => ({
  order_id: id,
  proxy_type: row.proxy_type,
  proxy_status: row.proxy_status,
  protocol: row.protocol,
  host: row.host,
  port: row.port,
  username: row.username,
  password: row.password,
  country: row.country,
  city: row.city,
  expires_at: expires_at.toISOString(),
  auto_renew: row.auto_renew,
  notes: row.notes,
  tags: row.tags
})

/** The columns of a CSV file: the fields of the API. */
export const exportedColumns = Struct.keys(ExportedProxy.fields)

/** The cells of a proxy in a CSV file. */
export const exportedCells = (row: ExportedRow) => ({
  ...exportedProxy(row),
  country: plainCell(row.country),
  host: plainCell(row.host),
  username: plainCell(row.username),
  password: plainCell(row.password),
  city: plainCell(row.city ?? ""),
  notes: plainCell(row.notes ?? ""),
  tags: plainCell(row.tags.join(", "))
})
