import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Config, Duration, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import { GatewayAllow, GatewayBind, GatewayExitAddresses, GatewayPorts } from "../gateway/GatewayConfig.ts"
import * as PrepareGatewayRole from "../gateway/process/PrepareGatewayRole.ts"
import * as GatewaySupervisor from "../gateway/process/GatewaySupervisor.ts"
import { Draining, DrainTime } from "../http/Draining.ts"
import * as RequestBoundary from "../http/RequestBoundary.ts"
import * as Routes from "../http/Routes.ts"
import * as Server from "../http/Server.ts"
import { Blocklists } from "../ip-check/blocklists/Blocklists.ts"
import { IpVendors } from "../ip-check/vendors/IpVendors.ts"
import * as Jobs from "../Jobs.ts"
import { Addresses, ListeningPort } from "../platform/settings/Addresses.ts"
import { TrustedProxies } from "../platform/requests/ClientAddress.ts"
import * as Database from "../platform/postgres/Database.ts"
import { patiently } from "../platform/postgres/DatabasePatience.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { Mailer } from "../platform/mail/Mailer.ts"
import { OutboundHttp } from "../platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import * as Services from "../Services.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import * as Sandbox from "../wallet/Sandbox.ts"
import * as SandboxGuard from "./SandboxGuard.ts"
import * as Welcome from "./Welcome.ts"

/** The parts that reach outside the process. They are provided around the server, so that each is built once. */
const outside = (providers: typeof ConfiguredProviders.layer) =>
  Layer.mergeAll(
    Blocklists.layer,
    IpVendors.layer,
    Mailer.layer,
    OutboundHttp.layer,
    PaymentGateways.layer,
    providers,
    RateLimit.layer
  ).pipe(Layer.provideMerge([Addresses.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp]))

/**
 * In the sandbox, lets proxies connect to the service itself, so that a customer can try one without the internet. This is
 * off behind a reverse proxy, because the service would then trust any client address that comes through the gateway.
 */
const gatewayEnv = Effect.gen(function* () {
  // The gateway reads these settings itself. This check stops the service when a setting is wrong; without it, every
  // start of the gateway would fail.
  yield* Effect.all([GatewayAllow, GatewayBind, GatewayExitAddresses, GatewayHost, GatewayPorts])
  const port = yield* ListeningPort
  const allowed = yield* Config.String("GATEWAY_ALLOW").pipe(Config.withDefault(""))
  const own = `127.0.0.1:${port}`
  const isBehindProxy = (yield* TrustedProxies) > 0
  const reachesItself = !isBehindProxy && (yield* Sandbox.enabled)
  return reachesItself ? { GATEWAY_ALLOW: [allowed, own].filter((entry) => entry !== "").join(",") } : {}
})

const gateway = Effect.map(gatewayEnv, (env) =>
  Layer.unwrap(
    Effect.map(PrepareGatewayRole.make, (database) =>
      GatewaySupervisor.layerWith({
        main: fileURLToPath(new URL("../main.ts", import.meta.url)),
        args: ["gateway"],
        env: { ...env, ...database }
      })
    )
  )
)

/** Prepares the role of a gateway that runs elsewhere. */
const gatewayElsewhere = Layer.effectDiscard(PrepareGatewayRole.make)

const logStop = Effect.logInfo("Stopping: requests end first, then jobs, the gateway and the database")

/** Delays a stop until the draining is over. This layer is built last, so a stop begins with it. */
const drain = Layer.effectDiscard(
  Draining.use(({ drain }) => Effect.addFinalizer(() => Effect.andThen(logStop, drain)))
)

const server = (welcome: typeof Welcome.layer) =>
  drain.pipe(
    Layer.provide(RequestBoundary.serve(Routes.layer)),
    Layer.provideMerge(welcome),
    Layer.provide([Draining.layer, Server.layer])
  )

/**
 * Time limit of a stop after the draining. A stop can hang, for example while the database does not answer; then the
 * process exits. No data is lost.
 */
const lastResort = Duration.seconds(8)

interface Parts {
  /** True when the gateway runs beside the service. */
  readonly gateway: boolean
  /** The providers; by default the configured ones. */
  readonly providers?: typeof ConfiguredProviders.layer
  readonly welcome?: typeof Welcome.layer
}

/** Runs the service until it is stopped. The server stops first, then the jobs, the gateway and the database. */
export const run = Effect.fnUntraced(function* (parts: Parts) {
  yield* Effect.provide(SandboxGuard.check, [Addresses.layer, NodeHttpClient.layerNodeHttp])
  const atMost = Duration.toMillis(Duration.sum(yield* DrainTime, lastResort))
  const endInAnyCase = () => void setTimeout(() => process.exit(1), atMost).unref()
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endInAnyCase)
  const beside = parts.gateway ? yield* gateway : gatewayElsewhere
  const started = Layer.launch(
    server(parts.welcome ?? Welcome.layer).pipe(
      Layer.provide(Jobs.layer),
      Layer.provide(Services.layer),
      Layer.provide(beside),
      Layer.provide(outside(parts.providers ?? ConfiguredProviders.layer))
    )
  )
  return yield* Effect.provide(patiently(started, "the database"), Database.layer)
})
