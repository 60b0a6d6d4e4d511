import { NodeRuntime } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer, Schedule, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { IpNetwork } from "effect/net"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as BlocklistIndex from "../src/ip-check/blocklists/BlocklistIndex.ts"
import { BlocklistRegistry } from "../src/ip-check/blocklists/BlocklistRegistry.ts"
import { Blocklists } from "../src/ip-check/blocklists/Blocklists.ts"
import { BlocklistsRepo } from "../src/ip-check/blocklists/BlocklistsRepo.ts"
import { BlocklistSync } from "../src/ip-check/blocklists/BlocklistSync.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import * as Logging from "../src/platform/Logging.ts"
import * as RandomNetworks from "./RandomNetworks.ts"
import * as Stalls from "./Stalls.ts"

const seed = 5
const counts = { ipv4: 500_000, ipv6: 50_000 }
/** About the size of the largest list in the registry. */
const published = { ipv4: 45_000, ipv6: 9_000 }
const asked = 100_000
const id = "x4b_datacenter_v4"
/**
 * Each step replaces the whole list, in turn with and without one network. The number is even, so that each round
 * begins alike.
 */
const swaps = 6
const aims = { lookupMicros: 1, memoryMegabytes: 30, stallMillis: 5 }

const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "blocklists-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory })
})

/** The publisher's list. It arrives in pieces, as from a socket. */
const publisher = { list: new Uint8Array() }
const piece = 16 * 1024
const body = () => {
  const bytes = publisher.list
  let offset = 0
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (offset >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(offset, offset + piece))
      offset += piece
    }
  })
}
const http = Layer.sync(HttpClient.HttpClient, () =>
  HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(body()))))
)

const services = Blocklists.layer.pipe(
  Layer.provideMerge(Layer.merge(BlocklistSync.layer, BlocklistsRepo.layer)),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ BLOCKLISTS: id }))),
  Layer.provide(http)
)

const held = Effect.sync(() => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (arrayBuffers + heapUsed) / 1e6
})

/** Waits until memory has the state of the database. */
const takenUp = (probe: string, isListed: boolean) =>
  Effect.flatMap(Blocklists, ({ listings }) =>
    Effect.suspend(() => (listings(probe)[0]?.listed === isListed ? Effect.void : Effect.fail("not yet")))
  ).pipe(Effect.retry(Schedule.spaced("1 millis")), Effect.timeout("1 minute"))

/** The list is generated while it is sent: the service does not keep it in addition to its index either. */
const made = (size: typeof counts) => RandomNetworks.networks(RandomNetworks.seeded(seed), size)

const probe = "100.0.0.1"
const texts = (size: typeof counts) => [...made(size).keys()].join("\n")

const measureSwaps = Effect.fnUntraced(function* (size: typeof counts) {
  const { lists, sync } = yield* BlocklistSync
  const [list] = lists
  if (list === undefined) return yield* Effect.die(new Error("No list is held"))
  const encoder = new TextEncoder()
  const [without, withProbe] = [encoder.encode(texts(size)), encoder.encode(`${texts(size)}\n${probe}`)]
  const longest: Array<number> = []
  for (let swap = 0; swap < swaps; swap += 1) {
    yield* held
    const isListed = swap % 2 === 0
    publisher.list = isListed ? withProbe : without
    const load = yield* Stalls.during(sync(list, "forced"))
    const taken = yield* Stalls.during(takenUp(probe, isListed))
    const idle = yield* Stalls.during(Effect.sleep(taken.stalls.took))
    yield* Console.log(
      `swap ${swap + 1} of ${size.ipv4 + size.ipv6} networks: downloaded, read and stored in ${load.stalls.took.toFixed(0)} ms, longest stall ` +
        `${load.stalls.longest.toFixed(1)} ms; in memory ${taken.stalls.took.toFixed(0)} ms later, longest stall ` +
        `${taken.stalls.longest.toFixed(1)} ms, idle for the same time ${idle.stalls.longest.toFixed(1)} ms`
    )
    longest.push(taken.stalls.longest)
  }
  // Some rounds include other load on the machine; every round includes the swap itself.
  return Math.min(...longest)
})

/** Distributes the networks over as many lists as the registry has, in their order. */
const dealt = (sent: ReadonlyArray<BlocklistIndex.BlocklistPart>) => {
  const lists = BlocklistRegistry.map((): Array<Uint8Array> => [])
  let turn = 0
  for (const { networks } of sent)
    for (let offset = 0; offset < networks.length; turn += 1) {
      const end = offset + 4 + networks[offset + 3]!
      lists[turn % lists.length]!.push(networks.subarray(offset, end))
      offset = end
    }
  return Effect.forEach(lists, (list) => {
    const ipv4 = list.filter((network) => network[3] === 4).length
    const part = { networks: Buffer.concat(list), ipv4, ipv6: list.length - ipv4 }
    return BlocklistIndex.fromParts(Stream.make(part))
  })
}

/** The microseconds to look an address up in all indexes, the best of some rounds. */
const timed = (
  indexes: ReadonlyArray<BlocklistIndex.BlocklistIndex>,
  addresses: ReadonlyArray<ReadonlyArray<number>>
) => {
  const rounds = Array.from({ length: 7 }, () => {
    const began = performance.now()
    for (const address of addresses) for (const index of indexes) index.network(address)
    return ((performance.now() - began) * 1000) / addresses.length
  })
  return Math.min(...rounds)
}

const disagreements = (
  index: BlocklistIndex.BlocklistIndex,
  list: ReadonlyMap<string, RandomNetworks.Network>,
  addresses: ReadonlyArray<ReadonlyArray<number>>
) => {
  const expected = RandomNetworks.linear(list, addresses)
  return addresses.filter((address, position) => {
    const network = expected[position] ?? null
    const text = network === null ? null : IpNetwork.format(IpNetwork.fromStringUnsafe(network))
    return index.network(address) !== text
  }).length
}

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}, seed ${seed}`
  )
  yield* measureSwaps(published)
  const stall = yield* measureSwaps(counts)

  const { parts } = yield* BlocklistsRepo
  const sent = yield* Stream.runCollect(parts(id))
  const before = yield* held
  const began = performance.now()
  const index = yield* BlocklistIndex.fromParts(Stream.fromIterable(sent))
  const built = performance.now() - began
  const memory = (yield* held) - before
  yield* Console.log(`${index.size} networks: built in ${built.toFixed(0)} ms, ${memory.toFixed(1)} MB`)

  const list = made(counts)
  const addresses = RandomNetworks.addresses(RandomNetworks.seeded(seed + 1), [...list.values()], asked)
  const lookup = timed([index], addresses)
  const all = timed(yield* dealt(sent), addresses)
  yield* Console.log(
    `lookup ${lookup.toFixed(2)} µs (${(1 / lookup).toFixed(1)} million a second); ` +
      `of the same networks distributed over ${BlocklistRegistry.length} lists, in all of them ${all.toFixed(2)} µs`
  )
  const wrong = disagreements(index, list, addresses)
  yield* Console.log(`${asked - wrong} of ${asked} random addresses agree with a comparison with every network`)
  const missed = [
    ...(wrong > 0 ? ["the linear reference"] : []),
    ...(lookup > aims.lookupMicros ? [`${aims.lookupMicros} µs a lookup`] : []),
    ...(memory > aims.memoryMegabytes ? [`${aims.memoryMegabytes} MB`] : []),
    ...(stall > aims.stallMillis ? [`stalls of ${aims.stallMillis} ms`] : [])
  ]
  if (missed.length > 0) return yield* Effect.die(new Error(`Missed: ${missed.join(", ")}`))
})

const main = Effect.gen(function* () {
  const database = yield* postgres
  yield* Effect.provide(run, Layer.provideMerge(services, Database.layerWith({ ...database, maxConnections: 8 })))
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("8 minutes"))

NodeRuntime.runMain(main)
