import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Addresses } from "../../src/platform/Addresses.ts"
import { Mailer } from "../../src/platform/Mailer.ts"
import { RateLimit } from "../../src/platform/RateLimit.ts"
import * as Services from "../../src/Services.ts"
import { PaymentGateways } from "../../src/wallet/PaymentGateways.ts"
import { MemoryBlocklists } from "./MemoryBlocklists.ts"
import { MemoryIpVendors } from "./MemoryIpVendors.ts"
import { MemoryPaymentGateways } from "./MemoryPaymentGateways.ts"
import { MemoryProvider } from "./MemoryProvider.ts"
import { config, server } from "./TestRoutes.ts"
import * as TestDatabase from "./TestDatabase.ts"
import * as TestOutbound from "./TestOutbound.ts"

const appWith = <A, E, R>(gateways: Layer.Layer<PaymentGateways | A, E, R>, settings: Record<string, string>) =>
  server.pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge([MemoryBlocklists.layer, MemoryIpVendors.layer]),
    Layer.provideMerge([gateways, RateLimit.layer, Mailer.layerMemory, MemoryProvider.layer, TestOutbound.layer]),
    Layer.provideMerge([Addresses.layer, TestDatabase.layer, NodeCrypto.layer]),
    Layer.provide(config(settings))
  )

/**
 * The whole API in one process over a database of its own, on a loopback port with an `HttpClient` that talks to it.
 * Provider, payment gateways, IP vendors, blocklists and mail are in memory (`MemoryProvider`, `MemoryPaymentGateways`,
 * `MemoryIpVendors`, `MemoryBlocklists`, `SentMail`); outbound requests stay on this machine (`TestOutbound`). Jobs are run by hand.
 */
export const layer = (settings: Record<string, string> = {}) => appWith(MemoryPaymentGateways.layer, settings)

/** The same with the sandbox for a payment gateway. */
export const layerSandbox = appWith(PaymentGateways.layer.pipe(Layer.provide(FetchHttpClient.layer)), {})
