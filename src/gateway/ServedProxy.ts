import { DateTime, Schema, Struct } from "effect"
import { GatewayProxy } from "./GatewayProxy.ts"

/** The fields of a proxy that a gateway on another host gets: what it enforces, and nothing of the order or the account. */
export const ServedProxy = Schema.Struct(
  Struct.pick(GatewayProxy.fields, [
    "id",
    "article",
    "kind",
    "ip_version",
    "protocol",
    "port",
    "logins",
    "whitelist",
    "exit_ip",
    /** Only an alias, by which rules about an account find its proxies. */
    "account_id",
    "rotations",
    "cycle",
    "limit_bytes",
    "used_bytes",
    "leased_bytes",
    "status",
    "suspended_at",
    "probe_key",
    "rate_bps",
    "max_connections",
    "udp",
    "destinations",
    "session_minutes",
    "session_minutes_most",
    "expires_at",
    "revision"
  ])
)
export type ServedProxy = typeof ServedProxy.Type

const unknownTime = DateTime.makeUnsafe(0)

/** Makes the proxy that a gateway serves. Fields that no gateway reads are empty. */
export const toGatewayProxy = (served: ServedProxy): GatewayProxy =>
  new GatewayProxy({
    ...served,
    reference: served.id,
    pool: null,
    country_code: "ZZ",
    signature: null,
    rotate_minutes: null,
    rotate_at: null,
    change_reference: null,
    created_at: unknownTime,
    updated_at: unknownTime
  })
