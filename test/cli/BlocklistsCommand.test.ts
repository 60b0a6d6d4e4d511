import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { blocklists } from "../../src/cli/BlocklistsCommand.ts"
import { BlocklistSync } from "../../src/ip-check/blocklists/BlocklistSync.ts"
import { addresses, holding, MemoryPublishers } from "../ip-check/blocklists/BlocklistTesting.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const held = BlocklistSync.layer.pipe(Layer.provide(holding("feodo", "tor_exits", "greensnow")))
const run = runner(blocklists(Layer.merge(held, recording)))
const outside = Layer.mergeAll(MemoryPublishers.layer, TestDatabase.layer, NodeServices.layer)

layer(outside)("blocklists", (it) => {
  it.effect("sync prints a line of progress for each list, and list prints the state of each", () =>
    Effect.gen(function* () {
      const { publish } = yield* MemoryPublishers
      publish("feodo", "45.0.0.1\n10.0.0.1\n")
      publish("tor_exits", "<html>Bad gateway</html>")
      assert.strictEqual(
        yield* run("sync"),
        "failed: Cannot download 2 of 3 blocklists; the service keeps their last copies"
      )
      const [feodo, tor, greensnow] = (yield* run("list")).split("\n").map((line) => line.split("\t"))
      assert.deepStrictEqual(feodo, ["feodo", "blocklist", "1 networks", "synced 1970-01-01T00:00:00.000Z", "CC0"])
      assert.deepStrictEqual(tor, [
        "tor_exits",
        "tor_exit",
        "0 networks",
        "never loaded",
        "failures 1, next attempt 1970-01-01T00:05:00.000Z, last failure: the answer is a web page, not a list",
        "Public"
      ])
      assert.include(
        greensnow ?? [],
        "failures 1, next attempt 1970-01-01T00:05:00.000Z, last failure: Connection refused"
      )
      assert.deepInclude(yield* events, {
        action: "setting.change",
        subject: "blocklist feodo",
        user_id: null,
        reason: null,
        after: { state: "loaded, 1 networks; ignored 1 that are not public" }
      })
    })
  )

  it.effect("sync respects the publisher's interval unless it is forced", () =>
    Effect.gen(function* () {
      const { publish } = yield* MemoryPublishers
      publish("greensnow", addresses(40))
      assert.strictEqual(
        yield* run("sync greensnow"),
        "greensnow\tskipped: the last attempt failed (Connection refused), the next is at 1970-01-01T00:05:00.000Z; use --force to try immediately"
      )
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(
        yield* run("sync greensnow"),
        "greensnow\tdownloading from blocklist.greensnow.co\ngreensnow\tloaded, 40 networks"
      )
      assert.strictEqual(
        yield* run("sync greensnow"),
        "greensnow\tskipped: its publisher allows no download before 1970-01-01T00:35:00.000Z"
      )
      yield* TestClock.adjust("30 minutes")
      assert.include(yield* run("sync greensnow"), "greensnow\tunchanged, 40 networks")
      publish("greensnow", addresses(5))
      assert.include(yield* run("sync greensnow --force"), "greensnow\tloaded, 5 networks")
    })
  )

  it.effect("sync names lists that are unknown or excluded", () =>
    Effect.gen(function* () {
      assert.include(yield* run("sync nothing"), "nothing")
      assert.strictEqual(yield* run("sync et_compromised"), "failed: BLOCKLISTS excludes et_compromised")
    })
  )
})
