import * as LoopbackServer from "./LoopbackServer.ts"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import { ToolServer } from "../../src/mcp/ToolServer.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Mailer } from "../../src/platform/mail/Mailer.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as ToolHandlers from "../../src/rpc/ToolHandlers.ts"
import * as Services from "../../src/Services.ts"
import * as ConfiguredProviders from "../../src/provider/adapters/ConfiguredProviders.ts"
import type { Providers } from "../../src/provider/Providers.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import * as GatewayShop from "./GatewayShop.ts"
import * as HeldPorts from "./HeldPorts.ts"
import { MemoryBlocklists } from "./MemoryBlocklists.ts"
import { MemoryIpVendors } from "./MemoryIpVendors.ts"
import { MemoryPaymentGateways } from "./MemoryPaymentGateways.ts"
import { MemoryProvider } from "./MemoryProvider.ts"
import { config, server, serving } from "./TestRoutes.ts"
import * as TestDatabase from "./TestDatabase.ts"
import * as TestOutbound from "./TestOutbound.ts"
import * as TestCrypto from "./TestCrypto.ts"

const appOver = <A, E, R, B, F, S, C, G, T, D, H>(
  routes: Layer.Layer<B, F, S>,
  gateways: Layer.Layer<PaymentGateways | A, E, R>,
  providers: Layer.Layer<Providers | C, G, T>,
  settings: Record<string, string>,
  database: Layer.Layer<D | Layer.Success<typeof TestDatabase.layer>, H>
) =>
  routes.pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge([MemoryBlocklists.layer, MemoryIpVendors.layer]),
    Layer.provideMerge([gateways, RateLimit.layer, Mailer.layerMemory, providers, TestOutbound.layer]),
    Layer.provideMerge([Addresses.layer, database, TestCrypto.layer]),
    Layer.provide(config(settings))
  )

const appWith = <A, E, R, B, F, S>(
  routes: Layer.Layer<B, F, S>,
  gateways: Layer.Layer<PaymentGateways | A, E, R>,
  settings: Record<string, string>
) => appOver(routes, gateways, MemoryProvider.layer, settings, TestDatabase.layer)

/**
 * The whole API in one process over its own database, on a loopback port with an `HttpClient` that talks to it.
 * Provider, payment gateways, IP vendors, blocklists and mail are in memory (`MemoryProvider`, `MemoryPaymentGateways`,
 * `MemoryIpVendors`, `MemoryBlocklists`, `SentMail`); outbound requests stay on this machine (`TestOutbound`). Tests
 * run the jobs by hand.
 */
export const layer = (settings: Record<string, string> = {}) => appWith(server, MemoryPaymentGateways.layer, settings)

/** The same with the sandbox as payment gateway. */
export const layerSandbox = appWith(server, PaymentGateways.layer.pipe(Layer.provide(FetchHttpClient.layer)), {})

const gatewayWith = <A, E, R>(goods: Layer.Layer<A, E, R>) =>
  ConfiguredProviders.layer.pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(goods))

/**
 * The same with the built-in gateway as provider: it sells the demo shop, with these addresses for some pools, on these ports.
 */
export const layerGateway = (exits: Parameters<typeof GatewayShop.layer>[0], ports = "27000-27199") => {
  const goods = Layer.merge(HeldPorts.layer, GatewayShop.layer(exits))
  return appOver(server, MemoryPaymentGateways.layer, gatewayWith(goods), { GATEWAY_PORTS: ports }, TestDatabase.layer)
}

/** The same with the built-in gateway over another database, whose shop is as it is. */
export const layerOver = <A, E>(
  database: Layer.Layer<A | Layer.Success<typeof TestDatabase.layer>, E>,
  settings: Record<string, string>
) => appOver(server, MemoryPaymentGateways.layer, gatewayWith(HeldPorts.layer), settings, database)

/** The same with more tools, resources and prompts than the service has. */
export const layerTools = (more: Parameters<typeof ToolServer.layerWith>[0]) => {
  const tools = ToolServer.layerWith(more).pipe(Layer.provide(ToolHandlers.layer))
  return appWith(Layer.provide(server, tools), MemoryPaymentGateways.layer, {})
}

/** The same with a public address where it really listens, for clients that know nothing else. */
export const layerPublic = Layer.unwrap(
  HttpServer.addressFormattedWith((address) =>
    Effect.sync(() => {
      const PUBLIC_URL = `http://127.0.0.1:${new URL(address).port}`
      return appWith(serving, MemoryPaymentGateways.layer, { PUBLIC_URL })
    })
  )
).pipe(Layer.provideMerge(LoopbackServer.layer))
