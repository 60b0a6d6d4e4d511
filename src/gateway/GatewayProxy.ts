import { Schema } from "effect"
import { Model } from "effect/schema"

export const GatewayProxyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GatewayProxyId"))
export type GatewayProxyId = typeof GatewayProxyId.Type

const Kind = Schema.Literals(["datacenter", "residential", "mobile"])
const IpVersion = Schema.Literals(["IPv4", "IPv6"])
const Protocol = Schema.Literals(["HTTP", "HTTPS", "SOCKS5"])

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
  username: Schema.String,
  password: Model.Sensitive(Schema.String),
  whitelist: Model.GeneratedByDb(Schema.Array(Schema.String)),
  /** The source address of the proxy's outgoing connections; null leaves it to the operating system. */
  exit_ip: Schema.NullOr(Schema.String),
  /** Bytes that may pass, both directions together; null is unlimited. */
  limit_bytes: Schema.NullOr(Schema.BigInt),
  used_bytes: Model.GeneratedByDb(Schema.BigInt),
  /** Bytes that gateway processes may still let through without asking again. */
  leased_bytes: Model.GeneratedByDb(Schema.BigInt),
  status: Schema.Literals(["open", "closed"]),
  expires_at: Schema.DateTimeUtcFromDate,
  /** Counts the changes a gateway process must hear of. */
  revision: Model.GeneratedByDb(Schema.Int),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
