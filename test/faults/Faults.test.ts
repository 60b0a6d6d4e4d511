import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import { plants } from "../../faults/Plants.ts"
import * as Run from "../../faults/Run.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** Much longer than it takes when the machine does nothing else. */
const timeout = 240_000

class Bench extends Context.Service<Bench, Effect.Success<typeof Run.bench>>()("test/faults/Bench") {
  static readonly layer = Layer.effect(Bench, Run.bench)
}

const options = Effect.map(Bench, (bench) => ({ ...bench, root, seed: 1, tell: () => Effect.void }))

layer(Bench.layer, { excludeTestServices: true, timeout })("Two instances on one database", (it) => {
  it.effect(
    "lose and double nothing when they are killed and the vendor does not say what it did",
    () =>
      Effect.gen(function* () {
        const extent = { orders: 60, seconds: 6, aim: "each", clients: 8 } as const
        const { failpoints, orders, violations } = yield* Run.product(yield* options, extent)
        assert.deepStrictEqual(violations, [])
        assert.isAtLeast(orders, 15)
        const { "kill after": after, "kill before": before, "lose answer": lost } = failpoints.hits
        assert.isAtLeast(before + after + lost, 1)
      }),
    timeout
  )

  it.effect(
    "sell twice when a safeguard is taken out, and it is seen",
    () =>
      Effect.gen(function* () {
        const plant = plants.find(({ name }) => name === "key-unclaimed")!
        const { violations } = yield* Run.planted(yield* options, { ...plant, extent: { ...plant.extent, orders: 15 } })
        assert.include(violations[0], plant.breaks)
      }),
    timeout
  )
})
