import { Schema } from "effect"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { isLength } from "../../platform/fields/Text.ts"
import { sourceAddresses } from "./SourceAddress.ts"

const maxEntries = 20

/** Excludes the colon, which ends a login in HTTP Basic and in proxy addresses. */
const Login = Schema.String.check(
  isLength(1, 64),
  Schema.isPattern(/^[\x21-\x39\x3b-\x7e]*$/u, { message: "must be printable ASCII without spaces and colons" })
).annotate({ examples: ["scraper1"] })

const Password = Schema.String.check(
  isLength(8, 128),
  Schema.isPattern(/^[\x20-\x7e]*$/u, { message: "must be printable ASCII" })
).annotate({ description: "At least 8 characters", examples: ["f3Zk9Qw1Lm7s"] })

const Passwords = listOf(Schema.Struct({ login: Login, password: Password }), {
  minimum: 1,
  maximum: maxEntries,
  description: "The new logins of the proxy; they replace all present ones"
}).check(
  Schema.makeFilter(
    (entries) => new Set(entries.map(({ login }) => login)).size === entries.length || "has a login twice"
  )
)

/** The new access rules of a proxy. A list that is left out does not change. */
export const AccessChange = Schema.Struct({
  ips: optional(
    sourceAddresses(maxEntries, "Source addresses that need no password; empty: every client needs a login")
  ),
  passwords: optional(Passwords)
}).check(
  Schema.makeFilter(
    ({ ips, passwords }) => ips !== undefined || passwords !== undefined || "needs `ips`, `passwords` or both"
  )
)
export type AccessChange = typeof AccessChange.Type
