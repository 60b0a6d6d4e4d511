import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { type PortRange, GatewayPorts } from "../../src/gateway/GatewayConfig.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"

/**
 * Reports ports of the range as held by a gateway while the scope lives. The gateway can get more only with
 * `refillsAt`.
 */
export const hold = Effect.fnUntraced(function* (
  { first, last }: Pick<PortRange, "first" | "last">,
  { place = "test", refillsAt = null }: { readonly place?: string; readonly refillsAt?: number | null } = {}
) {
  const repo = yield* HeldPortsRepo
  const id = randomUUID()
  yield* Effect.asVoid(repo.present(id))
  const ports = Array.from({ length: Math.min(last - first + 1, 1_000) }, (_, index) => first + index)
  yield* repo.report(id, place, ports, refillsAt)
})

/** The ports of `GATEWAY_PORTS`, at most 1,000. */
export const layer = Layer.effectDiscard(Effect.flatMap(GatewayPorts, (ports) => hold(ports))).pipe(
  Layer.provide(HeldPortsRepo.layer)
)
