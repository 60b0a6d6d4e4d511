import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as SandboxGuard from "../doctor/SandboxGuard.ts"
import { Draining } from "../http/Draining.ts"
import * as RequestBoundary from "../http/RequestBoundary.ts"
import * as Routes from "../http/Routes.ts"
import * as Server from "../http/Server.ts"
import { Blocklists } from "../ip-check/blocklists/Blocklists.ts"
import { IpVendors } from "../ip-check/vendors/IpVendors.ts"
import * as Jobs from "../Jobs.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as StartMemory from "../platform/StartMemory.ts"
import * as Database from "../platform/postgres/Database.ts"
import { patiently } from "../platform/postgres/DatabasePatience.ts"
import { Mailer } from "../platform/mail/Mailer.ts"
import { OutboundHttp } from "../platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../platform/requests/RateLimit.ts"
import { Worker } from "../platform/workers/Worker.ts"
import * as ConfiguredProviders from "../provider/adapters/ConfiguredProviders.ts"
import * as Services from "../Services.ts"
import { PaymentGateways } from "../wallet/gateways/PaymentGateways.ts"
import * as Doctor from "./Doctor.ts"
import * as GatewayBeside from "./GatewayBeside.ts"
import * as LastResort from "./LastResort.ts"
import * as WorkerLifeline from "./WorkerLifeline.ts"
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

interface Parts {
  /** True when the gateway runs beside the service. */
  readonly gateway: boolean
  /** True to start although the service would sell something false. */
  readonly force: boolean
  /** The providers; by default the configured ones. */
  readonly providers?: typeof ConfiguredProviders.layer
  readonly welcome?: typeof Welcome.layer
}

/** The server, the jobs, and all that they need but the database. */
const service = ({ providers, welcome }: Parts, jobs: typeof Jobs.layer | typeof Jobs.layerOwn) =>
  server(welcome ?? Welcome.layer).pipe(
    Layer.merge(StartMemory.layer),
    Layer.provide(jobs),
    Layer.provide(Services.layer),
    Layer.provide(outside(providers ?? ConfiguredProviders.layer))
  )

const sandboxGuard = Effect.provide(SandboxGuard.check, [Addresses.layer, NodeHttpClient.layerNodeHttp])

/** Runs the whole service in this process. */
const runAlone = Effect.fnUntraced(function* (parts: Parts) {
  yield* sandboxGuard
  const started = Layer.launch(Layer.provide(service(parts, Jobs.layer), yield* GatewayBeside.layerIf(parts.gateway)))
  const checked = Effect.andThen(Doctor.beforeStart(parts), patiently(started, "the database"))
  return yield* Effect.provide(checked, Database.layer)
})

/** Runs one of several workers. The first one runs the jobs for all. */
const runWorker = Effect.fnUntraced(
  function* ({ isSuccessor, number }: Worker, parts: Parts) {
    yield* WorkerLifeline.arm
    const isFirst = number === 1
    if (isFirst) yield* sandboxGuard
    const isWelcoming = isFirst && !isSuccessor
    const served = service(
      isWelcoming ? parts : { ...parts, welcome: Layer.empty },
      isFirst ? Jobs.layer : Jobs.layerOwn
    )
    const started = Layer.launch(Layer.provide(WorkerLifeline.layer, served))
    return yield* Effect.provide(patiently(started, "the database"), Database.layerConnected)
  },
  (effect, { number }) => Effect.annotateLogs(effect, { worker: number })
)

/** Runs the service until it is stopped. The server stops first, then the jobs, the gateway and the database. */
export const run = Effect.fnUntraced(
  function* (parts: Parts) {
    yield* LastResort.arm
    const worker = yield* Worker
    return yield* worker === undefined ? runAlone(parts) : runWorker(worker, parts)
  },
  // The brand is checked first, before the database starts.
  Effect.provide(BrandFolder.layer)
)
