import { Effect } from "effect"
import { GatewayPorts } from "./GatewayConfig.ts"
import { HeldPortsRepo, type HeldPorts } from "./HeldPortsRepo.ts"

const most = ({ can_grow, free, is_awaited }: HeldPorts): number => {
  if (free === 0 && !is_awaited) return 0
  return can_grow ? Infinity : free
}

/** The number of ports that can be sold; infinite while a gateway can hold more ports. */
interface PortStock {
  /** Counts the stock in the database. */
  readonly countStock: Effect.Effect<number>
  /** The last count, minus the proxies that this process has sold since. */
  readonly knownStock: Effect.Effect<number>
  /** Subtracts one sold port from the last count. */
  readonly sold: Effect.Effect<void>
}

export const make = Effect.gen(function* () {
  const held = yield* HeldPortsRepo
  const ports = yield* GatewayPorts
  let known = Infinity
  const stock: PortStock = {
    countStock: Effect.map(held.stock(ports), (stock) => (known = most(stock))),
    knownStock: Effect.sync(() => known),
    sold: Effect.sync(() => void (known -= 1))
  }
  return stock
})
