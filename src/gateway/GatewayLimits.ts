import { Context } from "effect"

/** What a gateway process bounds, so that no client can hold it up. */
export interface GatewayLimits {
  /** From connecting, or from the end of the last answer, until a whole request head has come. */
  readonly handshakeMillis: number
  readonly connectMillis: number
  /** A connection over which nothing moves is closed. */
  readonly idleMillis: number
  /** Connections to destinations at once, of one proxy. */
  readonly tunnelsPerProxy: number
  /** Client connections at once, of one proxy, whether authenticated or not. */
  readonly clientsPerProxy: number
  /** Client connections at once, of all proxies. */
  readonly clients: number
}

export const GatewayLimits = Context.Reference<GatewayLimits>("app/gateway/GatewayLimits", {
  defaultValue: () => ({
    handshakeMillis: 10_000,
    connectMillis: 10_000,
    idleMillis: 300_000,
    tunnelsPerProxy: 1_000,
    clientsPerProxy: 2_000,
    clients: 20_000
  })
})
