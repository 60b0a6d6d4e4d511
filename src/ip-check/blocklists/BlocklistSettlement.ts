import { Context, DateTime, Duration, Effect, Layer, Semaphore } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { Blocklist } from "./Blocklist.ts"
import { BlocklistUnusable, type Download } from "./BlocklistDownload.ts"
import type { BlocklistState } from "./BlocklistState.ts"
import { BlocklistSyncRepo, type Lease } from "./BlocklistSyncRepo.ts"

const firstRetry = Duration.minutes(5)
const longestRetry = Duration.days(1)
/** A list that may be empty is checked for lost networks only when it had more networks than this. */
const largeEnough = 100

/** A list that this instance has claimed, with its state at that time. */
export interface ClaimedBlocklist {
  readonly list: Blocklist
  readonly lease: Lease
  readonly known: BlocklistState
}

/** Doubles the delay after every failure. It starts at the list's minimum if the publisher answered, else at `firstRetry`. */
const retryDelay = ({ known, list }: ClaimedBlocklist, isAnswered: boolean): Duration.Duration =>
  Duration.times(isAnswered ? list.minimum : firstRetry, 2 ** Math.min(known.failures, 10))

const times = ({ list }: ClaimedBlocklist) =>
  Effect.map(DateTime.now, (now) => ({ synced_at: now, sync_at: DateTime.addDuration(now, list.interval) }))

/** Stores the outcome of a download and ends the lease. */
export class BlocklistSettlement extends Context.Service<
  BlocklistSettlement,
  {
    /**
     * Replaces the copy in one transaction and returns its number of networks. Null: another instance has taken the list.
     * Refuses a list that lost more than half of its networks, unless `mayShrink`.
     */
    readonly loaded: (
      claimed: ClaimedBlocklist,
      download: Download,
      mayShrink: boolean
    ) => Effect.Effect<number | null, BlocklistUnusable>
    /** Records that the copy is up to date. */
    readonly unchanged: (
      claimed: ClaimedBlocklist,
      validators: Pick<BlocklistState, "etag" | "last_modified">
    ) => Effect.Effect<void>
    /** Keeps the copy, and returns the time of the next try. */
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
            const reason = `it shrank from ${known.networks} to ${networks} networks; run "blocklists sync ${list.id} --force" to accept that`
            return yield* new BlocklistUnusable({ reason, is_answered: true })
          }
          const { etag, last_modified, sha256 } = download
          const generation = known.generation + 1
          yield* repo.synced(lease, yield* times(claimed), { etag, generation, last_modified, networks, sha256 })
          return networks
        },
        (effect) => atomically(effect),
        // A load holds a database connection for seconds, so only one load runs at a time.
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
