import * as LoopbackServer from "./LoopbackServer.ts"
import { ConfigProvider, Layer } from "effect"
import { Draining } from "../../src/http/Draining.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Routes from "../../src/http/Routes.ts"

/** Settings of the whole API in tests, with limits that only the tests of limits reach. */
export const config = (settings: Record<string, string>) =>
  ConfigProvider.layer(
    ConfigProvider.fromEnvRecord({
      RATE_LIMIT_PER_MINUTE: "100000",
      AUTH_RATE_LIMIT_FACTOR: "1000",
      PAYOUTS: "true",
      ...settings
    })
  )

/** Every route. The server and the services are still to be provided. */
export const serving = Layer.provide(RequestBoundary.serve(Routes.layer), Draining.layer)

/** Every route on a loopback port; the services are still to be provided. */
export const server = Layer.provideMerge(serving, LoopbackServer.layer)

/** The same for benchmarks, without the check of answers. */
export const serverAlone = Layer.provideMerge(serving, LoopbackServer.layerUnchecked)
