import { NodeCrypto, NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { Draining } from "../../src/http/Draining.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Routes from "../../src/http/Routes.ts"
import * as Server from "../../src/http/Server.ts"
import { Blocklists } from "../../src/ip-check/Blocklists.ts"
import { IpVendors } from "../../src/ip-check/IpVendors.ts"
import * as Jobs from "../../src/Jobs.ts"
import { Addresses } from "../../src/platform/Addresses.ts"
import * as Database from "../../src/platform/Database.ts"
import * as Logging from "../../src/platform/Logging.ts"
import { Mailer } from "../../src/platform/Mailer.ts"
import { OutboundHttp } from "../../src/platform/OutboundHttp.ts"
import { RateLimit } from "../../src/platform/RateLimit.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProvisionRequest } from "../../src/provider/ProxyProvider.ts"
import * as Services from "../../src/Services.ts"
import { PaymentGateways } from "../../src/wallet/PaymentGateways.ts"
import * as InstantProvider from "./InstantProvider.ts"
import { usage } from "./Usage.ts"

// The whole service in a process of its own, with its jobs, as `src/cli/Serve.ts` puts it together; only what it sells
// comes from a provider that answers at once. Asked by any message, it tells what it has used.

process.on("message", () => process.send?.(usage()))
process.on("disconnect", () => process.exit())

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

const provider = Providers.layerOf({
  name: InstantProvider.name,
  find_settles_after: Duration.zero,
  signatures: [],
  offers: Effect.succeed(InstantProvider.offers),
  provision,
  find: () => Effect.undefined,
  get: () => Effect.undefined
})

const outside = Layer.mergeAll(
  Blocklists.layer,
  IpVendors.layer,
  Mailer.layer,
  OutboundHttp.layer,
  PaymentGateways.layer,
  provider,
  RateLimit.layer
).pipe(Layer.provideMerge([Addresses.layer, Database.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp]))

RequestBoundary.serve(Routes.layer).pipe(
  Layer.provide([Draining.layer, Server.layer]),
  Layer.provide(Jobs.layer),
  Layer.provide(Services.layer),
  Layer.provide(outside),
  Layer.provide(Logging.layer),
  Layer.launch,
  NodeRuntime.runMain
)
