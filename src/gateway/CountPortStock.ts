import { Effect } from "effect"
import { GatewayPorts } from "./GatewayConfig.ts"
import { HeldPortsRepo, type HeldPorts } from "./HeldPortsRepo.ts"

const most = ({ can_grow, free, is_awaited }: HeldPorts): number => {
  if (free === 0 && !is_awaited) return 0
  return can_grow ? Infinity : free
}

/** The number of ports that can be sold, infinite while gateways can hold more, and what is known of it in memory. */
export const make = Effect.gen(function* () {
  const held = yield* HeldPortsRepo
  const ports = yield* GatewayPorts
  let known = Infinity
  return {
    countStock: Effect.map(held.stock(ports), (stock) => (known = most(stock))),
    knownStock: Effect.sync(() => known),
    sold: Effect.sync(() => (known -= 1))
  }
})
