import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { BlocklistRegistry } from "../../../src/ip-check/blocklists/BlocklistRegistry.ts"
import { Blocklists } from "../../../src/ip-check/blocklists/Blocklists.ts"
import { BlocklistSync } from "../../../src/ip-check/blocklists/BlocklistSync.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { addresses, holding, MemoryPublishers } from "./BlocklistTesting.ts"

const everything = Blocklists.layer.pipe(
  Layer.provideMerge(BlocklistSync.layer),
  Layer.provide(holding("tor_exits", "spamhaus_drop_v4", "x4b_vpn_v6")),
  Layer.provideMerge(Layer.merge(MemoryPublishers.layer, TestDatabase.layer))
)

const publish = Effect.fnUntraced(function* (id: string, text: string) {
  const { publish } = yield* MemoryPublishers
  publish(id, text)
  const { lists, sync } = yield* BlocklistSync
  const list = lists.find((list) => list.id === id) ?? assert.fail(`${id} is not held`)
  assert.strictEqual((yield* sync(list, "forced"))._tag, "Loaded")
})

const listing = (ip: string, id: string) =>
  Effect.map(Blocklists, ({ listings }) => listings(ip).find(({ source }) => source === id))

const eventually = Effect.fnUntraced(function* (ip: string, id: string, network: string | null) {
  for (;;) {
    const found = yield* listing(ip, id)
    if (found?.synced_at !== null && found?.network === network) return found
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
  }
})

layer(everything)("Blocklists", (it) => {
  it.effect("answer every chosen list, with a match or not, in the order of the registry", () =>
    Effect.gen(function* () {
      const { listings } = yield* Blocklists
      assert.deepStrictEqual(
        listings("8.8.8.8").map(({ claim, listed, network, signal, source, synced_at }) => ({
          claim,
          signal,
          listed,
          network,
          source,
          synced_at
        })),
        [
          {
            claim: "blocklist",
            signal: null,
            listed: false,
            network: null,
            source: "spamhaus_drop_v4",
            synced_at: null
          },
          { claim: "tor_exit", signal: "tor", listed: false, network: null, source: "tor_exits", synced_at: null },
          { claim: null, signal: "vpn", listed: false, network: null, source: "x4b_vpn_v6", synced_at: null }
        ]
      )
    })
  )

  it.effect("follow every load immediately, and answer the network that contains the address", () =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      yield* publish("spamhaus_drop_v4", `{"cidr":"1.10.16.0/20"}\n{"cidr":"1.10.17.0/24"}`)
      const found = yield* eventually("1.10.17.5", "spamhaus_drop_v4", "1.10.17.0/24")
      assert.deepStrictEqual(found.synced_at, now)
      assert.include(found.attribution, "Spamhaus")
      assert.isTrue(found.listed)
      assert.strictEqual((yield* listing("1.10.18.5", "spamhaus_drop_v4"))?.network, "1.10.16.0/20")

      yield* publish("spamhaus_drop_v4", `{"cidr":"1.10.16.0/20"}`)
      yield* eventually("1.10.17.5", "spamhaus_drop_v4", "1.10.16.0/20")
      yield* publish("x4b_vpn_v6", "2a0e:b107::/48\n")
      yield* eventually("2a0e:b107::1", "x4b_vpn_v6", "2a0e:b107::/48")
      assert.strictEqual((yield* listing("8.8.8.8", "tor_exits"))?.synced_at, null)
    })
  )

  it.effect("are loaded at the start of the service, part by part", () =>
    Effect.gen(function* () {
      yield* publish(
        "tor_exits",
        addresses(9_000)
          .replace(/^/gm, "ExitAddress ")
          .replace(/ExitAddress $/, "")
      )
      const { listings } = yield* Effect.provide(
        Blocklists,
        Layer.fresh(Blocklists.layer).pipe(Layer.provide(holding("tor_exits")))
      )
      for (const ip of ["45.0.0.7", "45.15.255.7", "45.16.0.7", "45.35.39.7"])
        assert.deepStrictEqual(
          listings(ip).map(({ network }) => network),
          [`${ip}/32`]
        )
      assert.isFalse(listings("45.35.40.7")[0]?.listed)
    })
  )

  it.effect("have unique ids, https URLs, and intervals that their publishers allow", () =>
    Effect.sync(() => {
      assert.strictEqual(new Set(BlocklistRegistry.map(({ id }) => id)).size, BlocklistRegistry.length)
      for (const { interval, minimum, url } of BlocklistRegistry) {
        assert.strictEqual(new URL(url).protocol, "https:")
        assert.isTrue(Duration.isGreaterThanOrEqualTo(interval, minimum))
      }
    })
  )
})
