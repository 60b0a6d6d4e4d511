import { DateTime } from "effect"
import { randomUUID } from "node:crypto"
import * as GatewayShop from "../../support/GatewayShop.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"

/** A proxy with a traffic limit in bytes. Null: unlimited. */
export const open = (limit_bytes: bigint | null) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article: GatewayShop.articleOf({ kind: "residential" }),
      protocol: "HTTP",
      limit_bytes,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )
