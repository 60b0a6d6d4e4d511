import { assert } from "@effect/vitest"
import { Clock, ConfigProvider, Context, DateTime, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Gateway from "../../src/gateway/process/Gateway.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { endlessSleeps } from "../support/EndlessSleeps.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { flood, portRange, rawOrigin, webOrigin } from "./Origin.ts"
import { connectVia } from "./ProxyClient.ts"

const start = (make: () => ReturnType<typeof webOrigin>) =>
  Effect.acquireRelease(Effect.promise(make), ({ close }) => Effect.sync(close))

/** The destinations that a proxy may reach. */
export class Origins extends Context.Service<
  Origins,
  {
    readonly web: number
    readonly flood: number
    readonly echo: number
    readonly peer: number
    readonly env: Record<string, string>
  }
>()("test/Origins") {
  static readonly layerWith = (settings: Record<string, string>) =>
    Layer.effect(
      Origins,
      Effect.gen(function* () {
        const web = yield* start(webOrigin)
        const flooding = yield* start(() => rawOrigin(flood))
        const echo = yield* start(() => rawOrigin((socket) => void socket.pipe(socket)))
        const peer = yield* start(() => rawOrigin((socket) => void socket.end(socket.remoteAddress ?? "")))
        const GATEWAY_ALLOW = [web, flooding, echo, peer].map(({ port }) => `127.0.0.1:${port}`).join(",")
        const env = { GATEWAY_ALLOW, GATEWAY_PORTS: `${portRange.first}-${portRange.last}`, ...settings }
        return { web: web.port, flood: flooding.port, echo: echo.port, peer: peer.port, env }
      })
    )
}

const configured = Layer.unwrap(
  Effect.map(Origins, ({ env }) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
)

/** The gateway reads all proxies once, and later only the proxies of its notifications. */
const withoutPeriodicReads = endlessSleeps((seconds) => seconds >= 10)

/** Runs a gateway with its own database. */
export const runningGateway = (
  settings: Record<string, string> = {},
  exits: Parameters<typeof GatewayShop.layer>[0] = {}
) =>
  Layer.mergeAll(
    GatewayShop.layer(exits),
    Gateway.layer.pipe(Layer.provide(Layer.succeed(Clock.Clock, withoutPeriodicReads))),
    GatewayProxies.layer
  ).pipe(Layer.provide(configured), Layer.provideMerge([Origins.layerWith(settings), TestDatabase.layer]))

type Opening = Parameters<typeof GatewayShop.articleOf>[0] &
  Partial<Pick<Parameters<GatewayProxies["Service"]["open"]>[0], "expires_at" | "limit_bytes" | "protocol">>

/** Opens a proxy when the gateway is ready. On a busy machine this takes longer than an order waits. */
export const open = ({ country_code, ip_version, kind, ...changes }: Opening = {}) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article: GatewayShop.articleOf({
        ...(country_code && { country_code }),
        ...(ip_version && { ip_version }),
        ...(kind && { kind })
      }),
      protocol: "HTTP",
      limit_bytes: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
      ...changes
    })
  ).pipe(Effect.retry({ while: ({ _tag }) => _tag === "GatewayAway" }))

/** Begins a cycle of a proxy that ends this soon; answers its end. The connections of the proxy stay open. */
export const expiresIn = ({ id }: GatewayProxy, milliseconds: number) =>
  Effect.gen(function* () {
    const expires_at = DateTime.add(yield* DateTime.now, { milliseconds })
    const cycle = { reference: randomUUID(), kind: "restart", limit_bytes: null, expires_at } as const
    yield* GatewayProxies.use(({ extend }) => extend(id, cycle))
    return expires_at
    // On a slow machine the end may have passed before the proxy is locked.
  }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "GatewayChangeRefused" }))

export const via = (proxy: GatewayProxy, host = "127.0.0.1") => ({ port: proxy.port, login: proxy.logins[0], host })

/** Repeats until it succeeds, because another process or fiber may not know the change yet. */
export const eventually = <A>(attempt: () => Promise<A>) =>
  Effect.tryPromise(attempt).pipe(
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "60 seconds" }))),
    Effect.orDie
  )

export const tunnelTo = (proxy: GatewayProxy, port: number, host?: string) =>
  eventually(async () => {
    const { socket, status } = await connectVia(via(proxy, host), `127.0.0.1:${port}`)
    assert.strictEqual(status, 200)
    return socket
  })

/** Polls until the database has booked this many bytes, and answers the booked bytes. */
export const usageReaches = Effect.fnUntraced(function* (proxy: GatewayProxy, bytes: number) {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const hours = yield* sql<{ bytes: bigint }>`SELECT bytes FROM gateway_usage WHERE proxy_id = ${proxy.id}`
    const total = hours.reduce((sum, hour) => sum + Number(hour.bytes), 0)
    if (total >= bytes) return total
    yield* Effect.sleep("50 millis")
  }
})
