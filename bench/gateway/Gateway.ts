import { DateTime, Effect } from "effect"
import { GatewayProxy, GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import { limitsFor } from "../../src/gateway/GatewayLimits.ts"
import { GatewayServer } from "../../src/gateway/process/GatewayServer.ts"
import { leaseBytes, TrafficMeter } from "../../src/gateway/traffic/TrafficMeter.ts"
import { freePort } from "../../test/support/FreePort.ts"
import { login } from "./Link.ts"

// The gateway, in a separate process: the server of the gateway process with one HTTP and one SOCKS5 proxy. Both have a
// traffic limit. The leases come from memory, as late as a database would answer.

const destination = Number(process.env["DESTINATION"])
const answerMillis = 2
const limit_bytes = 2n ** 50n

const limits = limitsFor(Infinity)
const server = new GatewayServer({
  ...limits,
  tunnelsPerProxy: limits.tunnels,
  clientsPerProxy: limits.clients,
  openingsAtOnce: 1_000_000,
  // All clients of the benchmark have one address.
  strangersPerSource: limits.strangers,
  strangersPerNetwork: limits.strangers,
  strangersPerProxy: limits.strangers,
  bind: "127.0.0.1",
  allow: new Set([`127.0.0.1:${destination}`]),
  isOwn: () => false,
  resolve: () => Promise.resolve([])
})

const makeMeter = (id: string) => {
  const meter: TrafficMeter = new TrafficMeter(id, () =>
    setTimeout(() => {
      const { cycle, hold } = meter.report(performance.now())
      meter.confirm({ cycle, leased_bytes: hold ? leaseBytes : 0, last: false })
    }, answerMillis)
  )
  return meter
}

const serve = async (number: number, protocol: "HTTP" | "SOCKS5") => {
  const proxy = new GatewayProxy({
    id: GatewayProxyId.make(`0b8f2f7e-8f4c-4a7a-9d27-00000000000${number}`),
    reference: `${number}`,
    article: null,
    pool: null,
    kind: "datacenter",
    country_code: "US",
    ip_version: "IPv4",
    protocol,
    port: await Effect.runPromise(freePort),
    logins: [login],
    whitelist: [],
    exit_ip: null,
    account_id: null,
    rotations: 0,
    suspended_at: null,
    signature: null,
    cycle: 1,
    limit_bytes,
    rate_bps: null,
    max_connections: null,
    used_bytes: 0n,
    leased_bytes: 0n,
    status: "open",
    change_reference: null,
    expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
    revision: 1,
    created_at: DateTime.makeUnsafe(0),
    updated_at: DateTime.makeUnsafe(0)
  })
  await server.serve(proxy, () => makeMeter(proxy.id))
  return proxy.port
}

process.on("message", () => {
  globalThis.gc?.()
  process.send?.("collected")
})
process.on("disconnect", () => process.exit())
process.send?.({ port: await serve(1, "HTTP"), socks: await serve(2, "SOCKS5") })
