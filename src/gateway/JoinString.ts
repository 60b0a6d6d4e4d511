import { Option, Schema } from "effect"

const Join = Schema.Struct({
  /** The address of the centre, such as `https://proxies.example.com`. */
  url: Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]{1,500}$/)),
  token: Schema.String.check(Schema.isPattern(/^[\w-]{20,100}$/))
})
type Join = typeof Join.Type

const prefix = "prn1."
const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Join))

/** Writes what a host needs to join: one word to paste. */
export const encode = (join: Join): string => prefix + Buffer.from(JSON.stringify(join)).toString("base64url")

/** Reads the word. None: it is damaged. */
export const decode = (text: string): Option.Option<Join> =>
  text.startsWith(prefix) && text.length <= 2_000
    ? decodeJson(Buffer.from(text.slice(prefix.length), "base64url").toString("utf8"))
    : Option.none()
