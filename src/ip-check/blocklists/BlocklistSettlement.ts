import { Context, DateTime, Duration, Effect, Layer, Semaphore } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { Blocklist } from "./Blocklist.ts"
import { BlocklistUnusable, type Download } from "./BlocklistDownload.ts"
import type { BlocklistState } from "./BlocklistState.ts"
import { BlocklistSyncRepo, type Lease } from "./BlocklistSyncRepo.ts"

const firstRetry = Duration.minutes(5)
const longestRetry = Duration.days(1)
/** A list that may be empty may lose so many networks at once without a doubt. */
const largeEnough = 100

/** A list that one instance syncs, as it was when it was taken. */
export interface ClaimedBlocklist {
  readonly list: Blocklist
  readonly lease: Lease
  readonly known: BlocklistState
}

/** Twice as long after every failure; what came from the publisher counts as a download. */
const retryDelay = ({ known, list }: ClaimedBlocklist, isAnswered: boolean): Duration.Duration =>
  Duration.times(isAnswered ? list.minimum : firstRetry, 2 ** Math.min(known.failures, 10))

const times = ({ list }: ClaimedBlocklist) =>
  Effect.map(DateTime.now, (now) => ({ synced_at: now, sync_at: DateTime.addDuration(now, list.interval) }))

/** Puts on record what came of a download, and ends the lease. */
export class BlocklistSettlement extends Context.Service<
  BlocklistSettlement,
  {
    /**
     * Replaces the copy in one transaction; answers how many networks it has, null when the list has gone to another
     * instance. One that lost more than half is refused unless that is allowed.
     */
    readonly loaded: (
      claimed: ClaimedBlocklist,
      download: Download,
      mayShrink: boolean
    ) => Effect.Effect<number | null, BlocklistUnusable>
    readonly unchanged: (
      claimed: ClaimedBlocklist,
      validators: Pick<BlocklistState, "etag" | "last_modified">
    ) => Effect.Effect<void>
    /** The copy stays; answers when the list is tried again. */
    readonly failed: (claimed: ClaimedBlocklist, unusable: BlocklistUnusable) => Effect.Effect<DateTime.Utc>
  }
>()("app/ip-check/BlocklistSettlement") {
  static readonly layer = Layer.effect(
    BlocklistSettlement,
    Effect.gen(function* () {
      const repo = yield* BlocklistSyncRepo
      const atomically = yield* Atomically
      const turn = yield* Semaphore.make(1)

      const loaded = Effect.fn("BlocklistSettlement.loaded")(
        function* (claimed: ClaimedBlocklist, download: Download, mayShrink: boolean) {
          const { known, lease, list } = claimed
          if (!(yield* repo.hold(lease))) return null
          const networks = yield* repo.replace(list.id, download.networks)
          const isLarge = !list.mayBeEmpty || known.networks > largeEnough
          if (!mayShrink && isLarge && networks * 2 < known.networks) {
            const reason = `it shrank from ${known.networks} to ${networks} networks; blocklists sync ${list.id} --force accepts that`
            return yield* new BlocklistUnusable({ reason, is_answered: true })
          }
          const { etag, last_modified, sha256 } = download
          const generation = known.generation + 1
          yield* repo.synced(lease, yield* times(claimed), { etag, generation, last_modified, networks, sha256 })
          return networks
        },
        (effect) => atomically(effect),
        // A load holds a connection for seconds: one at a time leaves the others to requests.
        turn.withPermit
      )

      const unchanged = Effect.fn("BlocklistSettlement.unchanged")(function* (
        claimed: ClaimedBlocklist,
        { etag, last_modified }: Pick<BlocklistState, "etag" | "last_modified">
      ) {
        yield* repo.synced(claimed.lease, yield* times(claimed), { etag, last_modified })
      })

      const failed = Effect.fn("BlocklistSettlement.failed")(function* (
        claimed: ClaimedBlocklist,
        { is_answered, reason, retry_at }: BlocklistUnusable
      ) {
        const now = yield* DateTime.now
        const wanted = DateTime.addDuration(now, retryDelay(claimed, is_answered))
        const polite = retry_at === undefined ? wanted : DateTime.max(wanted, retry_at)
        const at = DateTime.min(polite, DateTime.addDuration(now, longestRetry))
        yield* repo.failed(claimed.lease, claimed.known.failures + 1, reason, at)
        return at
      })

      return BlocklistSettlement.of({ loaded, unchanged, failed })
    })
  )
}
