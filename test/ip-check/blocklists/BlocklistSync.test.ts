import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Blocklist } from "../../../src/ip-check/blocklists/Blocklist.ts"
import { BlocklistRegistry } from "../../../src/ip-check/blocklists/BlocklistRegistry.ts"
import { BlocklistSync, type SyncMode, type SyncOutcome } from "../../../src/ip-check/blocklists/BlocklistSync.ts"
import * as BlocklistSyncRounds from "../../../src/ip-check/blocklists/BlocklistSyncRounds.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { addresses, holding, MemoryPublishers } from "./BlocklistTesting.ts"

const ids = ["spamhaus_drop_v4", "feodo", "blocklist_de", "greensnow"] as const
type Id = (typeof ids)[number]

const everything = BlocklistSync.layer.pipe(
  Layer.provide(holding(...ids)),
  Layer.provideMerge(Layer.merge(MemoryPublishers.layer, TestDatabase.layer))
)

const listOf = (id: Id): Blocklist => BlocklistRegistry.find((list) => list.id === id)!

const sync = (id: Id, mode: SyncMode = "forced") => BlocklistSync.use((blocklists) => blocklists.sync(listOf(id), mode))

const networksOf = Effect.fnUntraced(function* (id: Id) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ network: string }>`
    SELECT text(network) AS network FROM blocklist_part, unnest(networks) WITH ORDINALITY AS listed (network, position)
    WHERE blocklist_id = ${id} ORDER BY part, position
  `
  return rows.map(({ network }) => network)
})

const stateOf = (id: Id) =>
  Effect.gen(function* () {
    const state = (yield* (yield* BlocklistSync).states).find((state) => state.id === id)
    return state ?? assert.fail(`There is no ${id}`)
  })

const published = Effect.fnUntraced(function* (id: Id, answer: Parameters<MemoryPublishers["Service"]["publish"]>[1]) {
  const publishers = yield* MemoryPublishers
  publishers.publish(id, answer)
})

const reasonOf = (id: Id, mode: SyncMode = "asked") =>
  Effect.map(sync(id, mode), (outcome) => (outcome._tag === "Failed" ? outcome.reason : outcome._tag))

const minutesTo = (at: DateTime.Utc) =>
  Effect.map(DateTime.now, (now) => (at.epochMilliseconds - now.epochMilliseconds) / 60_000)

/** Moves the clock past the pauses of earlier tests. */
const later = TestClock.adjust("3 days")

layer(everything)("Blocklist sync", (it) => {
  it.effect("stores each published network once, without private networks", () =>
    Effect.gen(function* () {
      yield* published("spamhaus_drop_v4", `{"cidr":"1.10.16.0/20"}\n{"cidr":"1.10.16.0/20"}\n{"type":"metadata"}\n`)
      assert.deepStrictEqual(yield* sync("spamhaus_drop_v4"), { _tag: "Loaded", networks: 1, special: 0 })
      assert.deepStrictEqual(yield* networksOf("spamhaus_drop_v4"), ["1.10.16.0/20"])
      yield* published("greensnow", "# a comment\r\n45.0.0.9\r\n10.0.0.0/8\r\n2a0e:b107::/48\r\n45.0.0.0/24")
      assert.deepStrictEqual(yield* sync("greensnow"), { _tag: "Loaded", networks: 3, special: 1 })
      assert.deepStrictEqual(yield* networksOf("greensnow"), ["45.0.0.0/24", "45.0.0.9/32", "2a0e:b107::/48"])
    })
  )

  it.effect("replaces the whole list, and sends the validators of the last copy", () =>
    Effect.gen(function* () {
      const { requests } = yield* MemoryPublishers
      const headers = { etag: '"one"', "last-modified": "Sat, 21 Nov 2026 05:00:00 GMT" }
      yield* published("blocklist_de", { body: "45.0.0.1\n45.0.0.2\n", headers })
      yield* sync("blocklist_de")
      yield* later
      yield* published("blocklist_de", { body: "45.0.0.2\n45.0.0.3\n" })
      yield* sync("blocklist_de", "asked")
      assert.deepStrictEqual(yield* networksOf("blocklist_de"), ["45.0.0.2/32", "45.0.0.3/32"])
      const last = requests.at(-1)?.headers
      assert.strictEqual(last?.["if-none-match"], '"one"')
      assert.strictEqual(last?.["if-modified-since"], headers["last-modified"])
    })
  )

  it.effect("recognises an unchanged list by its validators or by its networks", () =>
    Effect.gen(function* () {
      yield* published("greensnow", { body: "45.0.0.1\n", headers: { etag: '"one"' } })
      yield* sync("greensnow")
      const before = yield* stateOf("greensnow")
      yield* later
      yield* published("greensnow", { status: 304 })
      assert.deepStrictEqual(yield* sync("greensnow", "asked"), { _tag: "Unchanged", networks: 1 })
      yield* later
      yield* published("greensnow", { body: "# at another hour\n45.0.0.1\n", headers: { etag: '"two"' } })
      assert.deepStrictEqual(yield* sync("greensnow", "asked"), { _tag: "Unchanged", networks: 1 })
      const after = yield* stateOf("greensnow")
      assert.strictEqual(after.generation, before.generation)
      assert.strictEqual(after.etag, '"two"')
      assert.deepStrictEqual(after.synced_at, yield* DateTime.now)
    })
  )

  it.effect("refuses an invalid list with a reason, and keeps the last good copy", () =>
    Effect.gen(function* () {
      yield* published("greensnow", addresses(40))
      yield* sync("greensnow")
      const { generation, synced_at } = yield* stateOf("greensnow")
      const refusals = [
        ["down", "Connection refused"],
        [{ status: 503 }, "the publisher answered HTTP 503"],
        [{ status: 304 }, "the publisher answered HTTP 304"],
        [{ status: 302, headers: { location: "http://blocklist.greensnow.co/" } }, "The URL it leads to is not https"],
        [
          { headers: { "content-encoding": "gzip" }, body: "\u001f" },
          "the answer is compressed (gzip), although the request forbids it"
        ],
        ["\n <!doctype html><title>Checking your browser</title>", "the answer is a web page, not a list"],
        ["", "it is empty"],
        ["# nothing today\n10.0.0.1\n", "it is empty"],
        ["\u0000\u0001\u0002\n45.0.0.1\nword\n", "2 of 3 lines contain no address"],
        [addresses(19), 'it shrank from 40 to 19 networks; run "blocklists sync greensnow --force" to accept that']
      ] as const
      for (const [answer, reason] of refusals) {
        yield* later
        yield* published("greensnow", answer)
        assert.strictEqual(yield* reasonOf("greensnow"), reason)
        assert.strictEqual((yield* stateOf("greensnow")).failure, reason)
      }
      const state = yield* stateOf("greensnow")
      assert.deepStrictEqual(
        [state.generation, state.synced_at, state.failures],
        [generation, synced_at, refusals.length]
      )
      assert.strictEqual((yield* networksOf("greensnow")).length, 40)

      assert.strictEqual((yield* sync("greensnow", "forced"))._tag, "Loaded")
      assert.strictEqual((yield* networksOf("greensnow")).length, 19)
      assert.strictEqual((yield* stateOf("greensnow")).failure, null)
    })
  )

  it.effect("limits the size and the time of a download", () =>
    Effect.gen(function* () {
      yield* later
      yield* published("greensnow", "#".repeat(64 * 1024 * 1024 + 1))
      assert.strictEqual(yield* reasonOf("greensnow"), "it is larger than 64 MiB")
      yield* later
      yield* published("greensnow", "hangs")
      const waiting = yield* Effect.forkChild(reasonOf("greensnow"), { startImmediately: true })
      while (waiting.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
      }
      assert.strictEqual(yield* Fiber.join(waiting), "No answer in time")
    })
  )

  it.effect("refuses a list that may be empty when it loses many networks", () =>
    Effect.gen(function* () {
      yield* later
      yield* published("feodo", addresses(101))
      yield* sync("feodo")
      yield* later
      yield* published("feodo", "# none at the moment\n")
      assert.match(yield* reasonOf("feodo"), /^it shrank from 101 to 0 networks/)
      yield* sync("feodo", "forced")
    })
  )

  it.effect("accepts an empty list where that is valid", () =>
    Effect.gen(function* () {
      yield* published("feodo", addresses(3))
      yield* sync("feodo")
      yield* later
      yield* published("feodo", "# none at the moment\n")
      assert.deepStrictEqual(yield* sync("feodo", "asked"), { _tag: "Loaded", networks: 0, special: 0 })
      assert.deepStrictEqual(yield* networksOf("feodo"), [])
    })
  )

  it.effect("pauses as long as the publisher requests, and longer after every failure", () =>
    Effect.gen(function* () {
      const { requests } = yield* MemoryPublishers
      yield* later
      yield* published("spamhaus_drop_v4", `{"cidr":"1.10.16.0/20"}`)
      yield* sync("spamhaus_drop_v4")
      const count = requests.length
      const soon = yield* sync("spamhaus_drop_v4", "asked")
      assert.strictEqual(soon._tag === "TooSoon" && (yield* minutesTo(soon.again_at)), 60)
      assert.strictEqual(requests.length, count)

      const retry = Effect.fnUntraced(function* (
        answer: "down" | { status: number; headers?: Record<string, string> }
      ) {
        yield* published("spamhaus_drop_v4", answer)
        const outcome = yield* sync("spamhaus_drop_v4")
        return outcome._tag === "Failed" ? yield* minutesTo(outcome.retry_at) : outcome._tag
      })
      assert.strictEqual(yield* retry("down"), 5)
      assert.strictEqual(yield* retry({ status: 500 }), 120)
      assert.strictEqual(yield* retry({ status: 500 }), 240)
      assert.strictEqual(yield* retry({ status: 429, headers: { "retry-after": "36000" } }), 600)
      const asked = yield* sync("spamhaus_drop_v4", "asked")
      assert.strictEqual(asked._tag === "TooSoon" && (yield* minutesTo(asked.again_at)), 600)
      assert.strictEqual(yield* retry({ status: 429, headers: { "retry-after": "999999" } }), 24 * 60)
    })
  )

  it.effect("runs in one instance at a time, and in another one when the first has ended", () =>
    Effect.gen(function* () {
      yield* later
      yield* published("greensnow", "hangs")
      const first = yield* Effect.forkChild(sync("greensnow", "asked"), { startImmediately: true })
      const { requests } = yield* MemoryPublishers
      const count = requests.length
      while (requests.length === count) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
      assert.deepStrictEqual(yield* sync("greensnow"), { _tag: "Busy" })
      yield* Fiber.interrupt(first)
      yield* published("greensnow", addresses(50))
      assert.strictEqual((yield* sync("greensnow", "asked"))._tag, "Loaded")
    })
  )

  it.effect("syncs every due list in a round, and reports each outcome", () => {
    const reported: Array<string> = []
    const report = (id: string, outcome: SyncOutcome) =>
      Effect.sync(() => reported.push(`${id}: ${outcome._tag === "Failed" ? outcome.reason : outcome._tag}`))
    return Effect.gen(function* () {
      const { requests } = yield* MemoryPublishers
      yield* later
      yield* published("spamhaus_drop_v4", `{"cidr":"1.10.32.0/20"}`)
      yield* published("feodo", "45.0.0.1")
      yield* published("blocklist_de", "down")
      yield* published("greensnow", "hello")
      const run = BlocklistSyncRounds.run(report)
      yield* run
      assert.deepStrictEqual(reported.toSorted(), [
        "blocklist_de: Connection refused",
        "feodo: Loaded",
        "greensnow: 1 of 1 lines contain no address",
        "spamhaus_drop_v4: Loaded"
      ])
      assert.deepStrictEqual(yield* networksOf("spamhaus_drop_v4"), ["1.10.32.0/20"])
      const count = requests.length
      yield* run
      assert.strictEqual(requests.length, count)
    })
  })
})
