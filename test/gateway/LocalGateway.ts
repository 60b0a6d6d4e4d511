import { onTestFinished } from "@effect/vitest"
import { Context, DateTime } from "effect"
import { randomUUID } from "node:crypto"
import { GatewayLimits } from "../../src/gateway/GatewayLimits.ts"
import { GatewayProxy, GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import { GatewayServer } from "../../src/gateway/process/GatewayServer.ts"
import { TrafficMeter } from "../../src/gateway/traffic/TrafficMeter.ts"
import { freePort, webOrigin } from "./Origin.ts"

export const login = { username: "customer", password: "correct horse" }

/** Leases `block` bytes at a time from memory, like the database. */
class Lender {
  used = 0
  readonly meter: TrafficMeter
  constructor(limit: number | null, block: number) {
    this.meter = new TrafficMeter("proxy", () =>
      setTimeout(() => {
        const { bytes, cycle, hold } = this.meter.report(performance.now())
        this.used += bytes
        const left = (limit ?? 0) - this.used
        const leased = limit !== null && hold ? Math.min(block, left) : 0
        this.meter.confirm({ cycle, leased_bytes: leased, last: limit !== null && leased === left })
      }, 1)
    )
  }

  /** All passed bytes, reported or not. */
  settle() {
    const { bytes, cycle } = this.meter.report(performance.now())
    this.used += bytes
    this.meter.confirm({ cycle, leased_bytes: 0, last: false })
    return this.used
  }
}

interface Options {
  readonly proxy?: Partial<ConstructorParameters<typeof GatewayProxy>[0]>
  readonly limits?: Partial<GatewayLimits>
  /** The allowed ports of 127.0.0.1. */
  readonly allow?: ReadonlyArray<number>
  /** Other allowed destinations, in the form of `endpoint`. */
  readonly allowed?: ReadonlyArray<string>
  readonly names?: Record<string, ReadonlyArray<string>>
  readonly own?: ReadonlyArray<string>
  readonly block?: number
}

/** Starts a gateway with one proxy, without a database. */
const localGateway = async ({
  allow = [],
  allowed = [],
  block = 1_000_000,
  limits,
  names = {},
  own = [],
  proxy
}: Options = {}) => {
  const port = await freePort()
  const row = (changes: Options["proxy"] = {}) =>
    new GatewayProxy({
      id: GatewayProxyId.make("0b8f2f7e-8f4c-4a7a-9d27-000000000001"),
      reference: randomUUID(),
      article: null,
      pool: null,
      kind: "datacenter",
      country_code: "US",
      ip_version: "IPv4",
      protocol: "HTTP",
      port,
      logins: [login],
      whitelist: [],
      exit_ip: null,
      account_id: null,
      rotations: 0,
      suspended_at: null,
      signature: null,
      cycle: 1,
      limit_bytes: null,
      rate_bps: null,
      max_connections: null,
      used_bytes: 0n,
      leased_bytes: 0n,
      status: "open",
      change_reference: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
      revision: 1,
      created_at: DateTime.makeUnsafe(0),
      updated_at: DateTime.makeUnsafe(0),
      ...proxy,
      ...changes
    })
  const server = new GatewayServer({
    ...Context.get(Context.empty(), GatewayLimits),
    ...limits,
    bind: "127.0.0.1",
    allow: new Set([...allowed, ...allow.map((port) => `127.0.0.1:${port}`)]),
    isOwn: (ip) => own.includes(ip),
    resolve: (name) => Promise.resolve(names[name] ?? [])
  })
  const first = row()
  const lender = new Lender(first.limit_bytes === null ? null : Number(first.limit_bytes), block)
  const serve = (changes?: Options["proxy"]) => server.serve(row(changes), () => lender.meter)
  await serve()
  return { port, login, lender, serve, stop: () => server.stopAll() }
}

/** Closes a resource when the test ends. */
export const closing = async <A extends { readonly close: () => void }>(made: Promise<A>) => {
  const closable = await made
  onTestFinished(closable.close)
  return closable
}

export const gatewayFor = async (options?: Options) => {
  const gateway = await localGateway(options)
  onTestFinished(gateway.stop)
  return gateway
}

/** Starts a web server on loopback and a gateway that may reach it. */
export const pair = async (options: Options = {}) => {
  const origin = await closing(webOrigin())
  const gateway = await gatewayFor({ ...options, allow: [origin.port, ...(options.allow ?? [])] })
  return { origin, gateway, url: `http://127.0.0.1:${origin.port}` }
}

export const socks5 = { proxy: { protocol: "SOCKS5" as const } }
