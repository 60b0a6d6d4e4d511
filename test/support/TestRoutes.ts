import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Layer } from "effect"
import { Draining } from "../../src/http/Draining.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Routes from "../../src/http/Routes.ts"
import * as Contract from "./Contract.ts"

/** Settings of the whole API in tests, with limits that only the tests of limits reach. */
export const config = (settings: Record<string, string>) =>
  ConfigProvider.layer(
    ConfigProvider.fromEnvRecord({ RATE_LIMIT_PER_MINUTE: "100000", AUTH_RATE_LIMIT_FACTOR: "1000", ...settings })
  )

const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) => Layer.provide(RequestBoundary.serve(routes), Draining.layer)

/**
 * Every route, with answers checked against the OpenAPI document. The server and the services are still to be provided.
 */
export const serving = serve(Layer.merge(Routes.layer, Contract.layer))

/** Every route on a loopback port; the services are still to be provided. */
export const server = Layer.provideMerge(serving, NodeHttpServer.layerTest)

/** The same for benchmarks, without the check of answers. */
export const serverAlone = Layer.provideMerge(serve(Routes.layer), NodeHttpServer.layerTest)
