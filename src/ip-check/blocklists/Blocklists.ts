import { Context, type DateTime, Effect, Layer, Schedule, Semaphore } from "effect"
import { NetAddress } from "effect/net"
import { wordsOf } from "../../platform/outbound/AddressWords.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import * as BlocklistIndex from "./BlocklistIndex.ts"
import { BlocklistsRepo } from "./BlocklistsRepo.ts"
import { HeldBlocklists } from "./HeldBlocklists.ts"
import type { HeldListing } from "../signals/Listing.ts"

/** The copy of a list in memory. */
interface Held {
  readonly generation: number
  readonly synced_at: DateTime.Utc | null
  readonly index: BlocklistIndex.BlocklistIndex
}

const never: Held = { generation: 0, synced_at: null, index: BlocklistIndex.empty }

/** Holds the published lists in memory. Each instance follows the copies in the database. */
export class Blocklists extends Context.Service<
  Blocklists,
  {
    /** Compares an address with every held list, in the order of the registry. Makes no query. */
    readonly listings: (ip: string) => ReadonlyArray<HeldListing>
  }
>()("app/ip-check/Blocklists") {
  static readonly layerNoDeps = Layer.effect(
    Blocklists,
    Effect.gen(function* () {
      const repo = yield* BlocklistsRepo
      const lists = yield* HeldBlocklists
      const held = new Map<string, Held>()

      // Reads the generation before the networks: a change in between is read with the next generation.
      const refresh = Effect.gen(function* () {
        for (const { generation, id, synced_at } of yield* repo.states) {
          if (!lists.some((list) => list.id === id)) continue
          const before = held.get(id) ?? never
          const isKept = generation === before.generation
          const index = isKept ? before.index : yield* BlocklistIndex.fromParts(repo.parts(id))
          held.set(id, { generation, synced_at, index })
        }
      }).pipe(Semaphore.makeUnsafe(1).withPermit, Effect.withSpan("Blocklists.refresh"))

      const listings = (ip: string): ReadonlyArray<HeldListing> => {
        const address = wordsOf(NetAddress.ipFromStringUnsafe(ip))
        return lists.map(({ attribution, claim, id, label, signal }) => {
          const { index, synced_at } = held.get(id) ?? never
          const network = index.network(address)
          return { source: id, label, claim, signal, listed: network !== null, network, attribution, synced_at }
        })
      }

      yield* refresh
      yield* repo.onChange(refresh).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(...Failure.logLine("Cannot listen for changed blocklists; trying again in a second", cause))
        ),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.forkScoped
      )
      // A notification is lost when its connection is lost.
      yield* refresh.pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(...Failure.logLine("Cannot read the blocklists; trying again in a minute", cause))
        ),
        Effect.schedule(Schedule.spaced("1 minute")),
        Effect.forkScoped
      )

      return Blocklists.of({ listings })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(BlocklistsRepo.layer))
}
