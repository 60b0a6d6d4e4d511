import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import * as Run from "../../faults/Run.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** Much longer than the run takes on an idle machine. */
const timeout = 900_000

it.live(
  "Two instances on one database lose and double nothing when they are killed and the vendor does not answer",
  () =>
    Effect.gen(function* () {
      const bench = yield* Run.bench
      const extent = { orders: 40, seconds: 8, limit: 840, aim: "each", clients: 8 } as const
      const options = { ...bench, root, seed: 1, tell: () => Effect.void }
      const { failpoints, orders, violations } = yield* Run.product(options, extent)
      assert.deepStrictEqual(violations, [])
      assert.isAtLeast(orders, 5)
      const { "kill after": after, "kill before": before, "lose answer": lost } = failpoints.hits
      assert.isAtLeast(before + after + lost, 1)
    }).pipe(Effect.scoped),
  timeout
)
