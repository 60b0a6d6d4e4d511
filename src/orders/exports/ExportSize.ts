import { Schema } from "effect"
import { addressOf } from "../ProxyAddress.ts"
import type { ExportForm } from "./ExportFile.ts"
import { placeholders } from "./ExportTemplate.ts"

/** The most bytes of one export: 10,000 proxies with short notes in any format. */
export const bytesAtMost = 8_000_000

/** The bytes of all values of an export, by their placeholder, and of all texts as JSON. */
export const ExportSums = Schema.Struct({
  proxies: Schema.Int,
  host: Schema.Int,
  username: Schema.Int,
  password: Schema.Int,
  city: Schema.Int,
  name: Schema.Int,
  json: Schema.Int
})
export type ExportSums = typeof ExportSums.Type

/** The bytes of the longest value of a placeholder whose values are about as long. */
const fixed = { protocol: "socks5".length, port: "65535".length, country: "US".length }

/** The bytes of a proxy in JSON besides its texts: the names of the fields, the id, and the time. CSV needs fewer. */
const besideTexts = 340

/** The bytes of a URL besides its texts. Each byte of a text may be written as three. */
const besideLogin = Buffer.byteLength(
  `${addressOf({ protocol: "SOCKS5", host: "", port: 65_535, username: "", password: "" })}\n`
)

/** The most bytes that an export of these values has. */
export const sizeOf = ({ format, template }: ExportForm, sums: ExportSums): number => {
  const { host, json, password, proxies, username } = sums
  if (format !== "txt") return proxies * besideTexts + json
  if (typeof template !== "string") return proxies * besideLogin + 3 * (host + username + password)
  const values = { ...sums, protocol: 0, port: 0, country: 0 }
  return placeholders(template).reduce(
    (size, name) => size + (name in fixed ? proxies * fixed[name as keyof typeof fixed] : values[name]),
    proxies * (Buffer.byteLength(template) + 1)
  )
}
