import { DateTime, Schema } from "effect"
import { Model } from "effect/schema"
import { Text } from "../platform/fields/Text.ts"

export const GatewayProxyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GatewayProxyId"))
export type GatewayProxyId = typeof GatewayProxyId.Type

const Kind = Schema.Literals(["datacenter", "residential", "mobile"])
const IpVersion = Schema.Literals(["IPv4", "IPv6"])
const Protocol = Schema.Literals(["HTTP", "HTTPS", "SOCKS5"])

/** The labels of a mobile proxy. */
export const DeviceSignature = Schema.Literals(["android", "ios", "linux", "macos", "windows"])

/** At most 255 bytes (RFC 1929) and no control characters (RFC 7617). */
const Word = Text(1, 255).check(
  Schema.makeFilter((text) => Buffer.byteLength(text) <= 255 || "must be at most 255 bytes long"),
  Schema.makeFilter((text) => !/\p{Cc}/u.test(text) || "must not contain control characters")
)

/** A username and password that both SOCKS5 and HTTP can carry. */
export const GatewayLogin = Schema.Struct({
  username: Word.check(Schema.makeFilter((text) => !text.includes(":") || "must not contain a colon")),
  password: Word
})

/** The 1 to 20 logins of a proxy. */
export const GatewayLogins = Schema.NonEmptyArray(GatewayLogin).check(Schema.isMaxLength(20))

/**
 * A proxy of the embedded gateway: one port, open until it is closed or expires. `HTTP` and `HTTPS` proxies speak HTTP with
 * `CONNECT`; `SOCKS5` proxies speak SOCKS5.
 *
 * With an empty `whitelist`, clients authenticate with a username and password. With a whitelist, only clients from its
 * addresses may connect, and need no password (docs/contract.md, "Static proxies").
 */
export class GatewayProxy extends Model.Class<GatewayProxy>("GatewayProxy")({
  id: Model.UuidV7Insert(GatewayProxyId),
  /** The id of the order. Opening the same reference again returns the same proxy. */
  reference: Schema.String,
  /** The article and the pool that it was sold from. Null: it is older than the shop. */
  article: Schema.NullOr(Schema.String),
  pool: Schema.NullOr(Schema.String),
  kind: Kind,
  country_code: Schema.String,
  ip_version: IpVersion,
  protocol: Protocol,
  port: Schema.Int,
  logins: Model.Sensitive(GatewayLogins),
  whitelist: Model.GeneratedByDb(Schema.Array(Schema.String)),
  /** The source address of outgoing connections. Null: the operating system chooses it. */
  exit_ip: Schema.NullOr(Schema.String),
  /** The account of the order. Null: the order is unknown. */
  account_id: Model.GeneratedByDb(Schema.NullOr(Schema.String)),
  /** The number of rotations. A rotation ends all connections, even when no other exit address is free. */
  rotations: Model.GeneratedByDb(Schema.Int),
  /** The label of a mobile proxy; null for other proxies. The gateway does not change packets to match it. */
  signature: Schema.NullOr(DeviceSignature),
  /** The number of the running cycle. Traffic under a lease of one cycle is never booked to the next. */
  cycle: Model.GeneratedByDb(Schema.Int),
  /** The traffic limit of the cycle in bytes, both directions together. Null: unlimited. */
  limit_bytes: Schema.NullOr(Schema.BigInt),
  /** The bits that may pass in a second, in each direction, for all connections together. Null: unlimited. */
  rate_bps: Model.GeneratedByDb(Schema.NullOr(Schema.BigInt)),
  /** The most connections to destinations that may be open at once. Null: only the limit of the gateway counts. */
  max_connections: Model.GeneratedByDb(Schema.NullOr(Schema.Int)),
  /** The booked bytes of the cycle. */
  used_bytes: Model.GeneratedByDb(Schema.BigInt),
  /** The bytes that gateway processes may pass without asking again. */
  leased_bytes: Model.GeneratedByDb(Schema.BigInt),
  status: Schema.Literals(["open", "closed"]),
  /** The time since which the proxy serves no client, because the operator has suspended its account. It keeps its port. */
  suspended_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  expires_at: Schema.DateTimeUtcFromDate,
  /** The reference of the last proxy change, so that a repeated change has no effect. */
  change_reference: Model.GeneratedByDb(Schema.NullOr(Schema.String)),
  /** The number of changes that concern a gateway process. */
  revision: Model.GeneratedByDb(Schema.Int),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {
  /** True when the proxy serves clients. */
  isLive(now: DateTime.Utc): boolean {
    return this.status === "open" && DateTime.isLessThan(now, this.expires_at)
  }
}
