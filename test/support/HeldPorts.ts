import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { type PortRange, GatewayPorts } from "../../src/gateway/GatewayConfig.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"

/** Says of ports of the range what a gateway says of those that it holds, for as long as the scope lives. */
export const hold = Effect.fnUntraced(function* ({ first, last }: Pick<PortRange, "first" | "last">, place = "test") {
  const repo = yield* HeldPortsRepo
  const id = randomUUID()
  yield* Effect.asVoid(repo.present(id))
  const ports = Array.from({ length: Math.min(last - first + 1, 1_000) }, (_, index) => first + index)
  yield* repo.report(id, place, ports)
})

/** The ports of `GATEWAY_PORTS`, or the first of them. */
export const layer = Layer.effectDiscard(Effect.flatMap(GatewayPorts, hold)).pipe(Layer.provide(HeldPortsRepo.layer))
