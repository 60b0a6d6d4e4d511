import { DateTime } from "effect"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"

/** A proxy with a traffic limit in bytes. Null: unlimited. */
export const open = (limit_bytes: bigint | null) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      kind: "residential",
      country_code: "US",
      ip_version: "IPv4",
      protocol: "HTTP",
      limit_bytes,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )
