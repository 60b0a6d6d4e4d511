import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"
import { Addresses } from "../../src/platform/Addresses.ts"
import { Mailer } from "../../src/platform/Mailer.ts"
import { RateLimit } from "../../src/platform/RateLimit.ts"
import * as Services from "../../src/Services.ts"
import { MemoryPaymentGateways } from "./MemoryPaymentGateways.ts"
import { MemoryProvider } from "./MemoryProvider.ts"
import { config, server } from "./TestRoutes.ts"
import * as TestDatabase from "./TestDatabase.ts"

const world = Layer.mergeAll(
  MemoryPaymentGateways.layer,
  RateLimit.layer,
  Mailer.layerMemory,
  MemoryProvider.layer
).pipe(Layer.provideMerge([Addresses.layer, TestDatabase.layer, NodeCrypto.layer]))

/**
 * The whole API in one process over a database of its own, on a loopback port with an `HttpClient` that talks to it.
 * Provider, payment gateways and mail are in memory (`MemoryProvider`, `MemoryPaymentGateways`, `SentMail`). Jobs are
 * run by hand.
 */
export const layer = (settings: Record<string, string> = {}) =>
  server.pipe(Layer.provideMerge(Services.layer), Layer.provideMerge(world), Layer.provide(config(settings)))
