import { Schema } from "effect"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { isLength } from "../../platform/fields/Text.ts"
import { sourceAddresses } from "./SourceAddress.ts"

const maxEntries = 20

/** A login goes before a colon in HTTP Basic and in proxy addresses. */
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
  description: "All logins of the proxy from here on"
}).check(
  Schema.makeFilter(
    (entries) => new Set(entries.map(({ login }) => login)).size === entries.length || "has a login twice"
  )
)

/** Who may use a mobile proxy (specification section 4.5); what is left out stays as it is. */
export const MobileAccess = Schema.Struct({
  ips: optional(sourceAddresses(maxEntries, "Source addresses that need no password; empty: logins decide")),
  passwords: optional(Passwords)
}).check(
  Schema.makeFilter(
    ({ ips, passwords }) => ips !== undefined || passwords !== undefined || "needs `ips`, `passwords` or both"
  )
)
export type MobileAccess = typeof MobileAccess.Type
