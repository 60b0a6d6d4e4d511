import { DateTime, Schema } from "effect"
import { Model } from "effect/schema"
import { Text } from "../platform/fields/Text.ts"

export const GatewayProxyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GatewayProxyId"))
export type GatewayProxyId = typeof GatewayProxyId.Type

const Kind = Schema.Literals(["datacenter", "residential", "mobile"])
const IpVersion = Schema.Literals(["IPv4", "IPv6"])
const Protocol = Schema.Literals(["HTTP", "HTTPS", "SOCKS5"])

/** What a mobile proxy may be labelled as. */
export const DeviceSignature = Schema.Literals(["android", "ios", "linux", "macos", "windows"])

/** 255 bytes at most (RFC 1929) and no control characters (RFC 7617). */
const Word = Text(1, 255).check(
  Schema.makeFilter((text) => Buffer.byteLength(text) <= 255 || "must be at most 255 bytes long"),
  Schema.makeFilter((text) => !/\p{Cc}/u.test(text) || "must not contain control characters")
)

/** A username and password as both SOCKS5 and HTTP can carry them. */
export const GatewayLogin = Schema.Struct({
  username: Word.check(Schema.makeFilter((text) => !text.includes(":") || "must not contain a colon")),
  password: Word
})

/** Every login that works at once. */
export const GatewayLogins = Schema.NonEmptyArray(GatewayLogin).check(Schema.isMaxLength(20))

/**
 * A proxy of the embedded gateway: one port, open until it is closed or expires. `HTTP` and `HTTPS`
 * proxies speak HTTP with `CONNECT`; `SOCKS5` ones speak SOCKS5.
 *
 * With an empty `whitelist` clients authenticate by username and password; with addresses in it, by
 * coming from one of them (specification section 4.4).
 */
export class GatewayProxy extends Model.Class<GatewayProxy>("GatewayProxy")({
  id: Model.UuidV7Insert(GatewayProxyId),
  /** What the caller knows the proxy by; opening the same reference again gives the same proxy. */
  reference: Schema.String,
  kind: Kind,
  country_code: Schema.String,
  ip_version: IpVersion,
  protocol: Protocol,
  port: Schema.Int,
  logins: Model.Sensitive(GatewayLogins),
  whitelist: Model.GeneratedByDb(Schema.Array(Schema.String)),
  /** The source address of the proxy's outgoing connections; null leaves it to the operating system. */
  exit_ip: Schema.NullOr(Schema.String),
  /** How often another exit address was asked for: connections made before end, even where none was to be had. */
  rotations: Model.GeneratedByDb(Schema.Int),
  /** Of mobile proxies: a label that is kept and reported. The gateway does not alter packets to look like it. */
  signature: Schema.NullOr(DeviceSignature),
  /** Counts the cycles that were bought; traffic that passes under a lease of one is never booked to the next. */
  cycle: Model.GeneratedByDb(Schema.Int),
  /** Bytes that may pass in the cycle, both directions together; null is unlimited. */
  limit_bytes: Schema.NullOr(Schema.BigInt),
  /** Bytes that passed in the cycle. */
  used_bytes: Model.GeneratedByDb(Schema.BigInt),
  /** Bytes that gateway processes may still let through without asking again. */
  leased_bytes: Model.GeneratedByDb(Schema.BigInt),
  status: Schema.Literals(["open", "closed"]),
  expires_at: Schema.DateTimeUtcFromDate,
  /** The last billed change, so that the same one is made once. */
  change_reference: Model.GeneratedByDb(Schema.NullOr(Schema.String)),
  /** Counts the changes a gateway process must hear of. */
  revision: Model.GeneratedByDb(Schema.Int),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {
  /** Whether it serves anybody at this moment. */
  isLive(now: DateTime.Utc): boolean {
    return this.status === "open" && DateTime.isLessThan(now, this.expires_at)
  }
}
