import { NodeRuntime } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import * as Serve from "../../src/cli/Serve.ts"
import * as Logging from "../../src/platform/Logging.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProvisionRequest } from "../../src/provider/ProxyProvider.ts"
import * as InstantProvider from "./InstantProvider.ts"
import { answerBenchmark } from "./Usage.ts"

// The whole service in a separate process, with its jobs and without the gateway. Its provider answers immediately.

answerBenchmark()

const provision = ({ bandwidth_gb, expires_at, protocol, reference }: ProvisionRequest) =>
  Effect.succeed({
    ...InstantProvider.proxyOf(reference),
    is_live: true,
    protocol,
    expires_at,
    whitelisted_ips: [],
    bandwidth_gb,
    used_gb: null,
    current_ip: null,
    signature: null,
    isp: null
  })

const providers = Providers.layerOf({
  name: InstantProvider.name,
  find_settles_after: Duration.zero,
  signatures: [],
  offers: Effect.succeed(InstantProvider.offers),
  provision,
  find: () => Effect.undefined,
  get: () => Effect.undefined
})

Serve.run({ gateway: false, providers, welcome: Layer.empty }).pipe(Effect.provide(Logging.layer), NodeRuntime.runMain)
