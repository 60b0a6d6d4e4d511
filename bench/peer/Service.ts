import { NodeRuntime } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import * as Serve from "../../src/cli/Serve.ts"
import * as WorkerCount from "../../src/cli/WorkerCount.ts"
import * as Workers from "../../src/cli/Workers.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import * as Logging from "../../src/platform/Logging.ts"
import { Worker } from "../../src/platform/workers/Worker.ts"
import * as GatewayProvider from "../../src/provider/adapters/GatewayProvider.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProvisionRequest, ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import * as InstantProvider from "./InstantProvider.ts"
import { answerBenchmark } from "./Usage.ts"

// The whole service in a separate process, with its jobs and without a gateway process. It has two providers: one that
// answers immediately, and the embedded gateway. With WORKERS it runs as several processes.

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

const instant = {
  name: InstantProvider.name,
  find_settles_after: Duration.zero,
  signatures: [],
  offers: Effect.succeed(InstantProvider.offers),
  provision,
  find: () => Effect.undefined,
  get: () => Effect.undefined
} satisfies ProxyProvider

const providers = Layer.effect(
  Providers,
  // Another name than that of the seeded orders' provider, so that no job asks the gateway for their proxies.
  Effect.map(GatewayProvider.make, (gateway) => Providers.from([instant, { ...gateway, name: "held ports" }]))
).pipe(Layer.provide(GatewayProxies.layer))

const run = Effect.gen(function* () {
  const isWorker = (yield* Worker) !== undefined
  if (!isWorker) answerBenchmark()
  const workers = yield* WorkerCount.setting
  if (isWorker || workers === 1)
    return yield* Serve.run({ gateway: false, force: false, providers, welcome: Layer.empty })
  return yield* Workers.run({ gateway: false, force: false, workers })
})

NodeRuntime.runMain(Effect.provide(run, Logging.layer))
