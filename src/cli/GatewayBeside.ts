import { Config, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import { GatewayAllow, GatewayBind, GatewayExitAddresses, GatewayPorts } from "../gateway/GatewayConfig.ts"
import * as GatewaySupervisor from "../gateway/process/GatewaySupervisor.ts"
import * as PrepareGatewayRole from "../gateway/process/PrepareGatewayRole.ts"
import { TrustedProxies } from "../platform/requests/ClientAddress.ts"
import { ListeningPort } from "../platform/settings/Addresses.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import * as Sandbox from "../wallet/Sandbox.ts"

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

const gatewayBeside = Effect.map(gatewayEnv, (env) =>
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

/** Runs a gateway beside the service, or prepares the role of one that runs elsewhere. */
export const layerIf = (isBeside: boolean) => (isBeside ? gatewayBeside : Effect.succeed(gatewayElsewhere))
