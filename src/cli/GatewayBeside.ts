import { Config, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import { DatabaseFacts } from "../doctor/DatabaseFacts.ts"
import {
  ConnectionLogDays,
  GatewayAllow,
  GatewayBind,
  GatewayExitAddresses,
  GatewayPorts
} from "../gateway/GatewayConfig.ts"
import * as GatewaySupervisor from "../gateway/process/GatewaySupervisor.ts"
import * as PrepareGatewayRole from "../gateway/process/PrepareGatewayRole.ts"
import { TrustedProxies } from "../platform/requests/ClientAddress.ts"
import { ListeningPort } from "../platform/settings/Addresses.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as Sandbox from "../wallet/Sandbox.ts"

/**
 * In the sandbox, lets proxies connect to the service itself, so that a customer can try one without the internet. This is
 * off behind a reverse proxy, because the service would then trust any client address that comes through the gateway.
 */
const gatewayEnv = Effect.gen(function* () {
  // The gateway reads these settings itself. This check stops the service when a setting is wrong; without it, every
  // start of the gateway would fail.
  yield* Effect.all([ConnectionLogDays, GatewayAllow, GatewayBind, GatewayExitAddresses, GatewayHost, GatewayPorts])
  const port = yield* ListeningPort
  const allowed = yield* Config.String("GATEWAY_ALLOW").pipe(Config.withDefault(""))
  const own = `127.0.0.1:${port}`
  const isBehindProxy = (yield* TrustedProxies) > 0
  const reachesItself = !isBehindProxy && (yield* Sandbox.enabled)
  return reachesItself ? { GATEWAY_ALLOW: [allowed, own].filter((entry) => entry !== "").join(",") } : {}
})

const beside = Effect.map(gatewayEnv, (env) =>
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
const elsewhere = Effect.succeed(Layer.effectDiscard(PrepareGatewayRole.make))

/** True when customers have proxies of the gateway, or when the database cannot tell. */
const hasProxies = DatabaseFacts.use(({ read }) => read).pipe(
  Effect.map(({ sold_ports }) => sold_ports.length > 0),
  Effect.orElseSucceed(() => true),
  Effect.provide(DatabaseFacts.layer)
)

/**
 * Runs a gateway beside the service, or prepares the role of one that runs elsewhere. Does neither when `PROVIDERS` does
 * not name the gateway and no customer has a proxy of it.
 */
export const layerIf = Effect.fnUntraced(function* (isBeside: boolean) {
  const gateway = isBeside ? beside : elsewhere
  if ((yield* Names).includes("gateway")) return yield* gateway
  return Layer.unwrap(
    Effect.gen(function* () {
      return (yield* hasProxies) ? yield* gateway : Layer.empty
    })
  )
})
