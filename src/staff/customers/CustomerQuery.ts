import { Option, Schema } from "effect"
import { isIP } from "node:net"
import { Email } from "../../accounts/Email.ts"

/** The words that a person types to find a customer. */
export type CustomerQuery =
  | { readonly _tag: "Id"; readonly id: string }
  | { readonly _tag: "Email"; readonly email: string }
  | { readonly _tag: "Address"; readonly ip: string; readonly port: number }
  /** The id of a payment at its gateway. */
  | { readonly _tag: "Charge"; readonly charge_id: string }

const isId = Schema.is(Schema.String.check(Schema.isUUID()))
const emailOf = Schema.decodeUnknownOption(Email)

const addressOf = (text: string) => {
  const [, ip = "", digits = ""] = /^\[?([\d.]+|[\da-f:.]+)\]?:(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  return isIP(ip) !== 0 && port >= 1 && port <= 65_535 ? { ip, port } : undefined
}

/** Reads a query: an id of an account, an order, a ledger entry, a payment or a restriction; a mail address; `ip:port`; or a charge. */
export const parse = (text: string): CustomerQuery => {
  if (isId(text)) return { _tag: "Id", id: text.toLowerCase() }
  const email = emailOf(text)
  if (Option.isSome(email)) return { _tag: "Email", email: email.value }
  const address = addressOf(text)
  if (address !== undefined) return { _tag: "Address", ...address }
  return { _tag: "Charge", charge_id: text }
}
