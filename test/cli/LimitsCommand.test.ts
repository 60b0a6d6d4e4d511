import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { limits } from "../../src/cli/LimitsCommand.ts"
import { LimitDesk } from "../../src/staff/money/LimitDesk.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(limits(LimitDesk.layer))

const none = "each no limit\ta customer in 30 days no limit\ta person a day no limit"

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("limits", (it) => {
  it.effect("set and remove change a limit on record, and list prints all", () =>
    Effect.gen(function* () {
      const listed = yield* run("list")
      assert.lengthOf(listed.split("\n"), 30)
      assert.include(listed, `owner\tgoodwill\tUSD\t${none}`)
      assert.include(listed, "support\tcorrection\tUSD\tnever alone")
      assert.strictEqual(
        yield* run("set support correction --each 2.5 --day 20 --reason Autumn"),
        "support\tcorrection\tUSD\teach 2.50\ta customer in 30 days no limit\ta person a day 20.00"
      )
      assert.include(yield* run("set support correction --each 0 --reason Autumn"), "failed: ")
      assert.strictEqual(
        yield* run("remove support correction --reason Winter"),
        "support\tcorrection\tUSD\tnever alone"
      )
      assert.include(yield* run("list"), "support\tcorrection\tUSD\tnever alone")
      assert.deepStrictEqual(
        (yield* events).map(({ action, reason, subject }) => [action, reason, subject]),
        ["Autumn", "Winter"].map((reason) => ["limit.change", reason, "staff_limit support correction USD"])
      )
    })
  )
})
