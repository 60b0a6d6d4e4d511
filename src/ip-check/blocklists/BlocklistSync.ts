import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Blocklist } from "./Blocklist.ts"
import { BlocklistDownload, type BlocklistUnusable } from "./BlocklistDownload.ts"
import { BlocklistSettlement, type ClaimedBlocklist } from "./BlocklistSettlement.ts"
import type { BlocklistState } from "./BlocklistState.ts"
import { BlocklistsRepo } from "./BlocklistsRepo.ts"
import { BlocklistSyncRepo } from "./BlocklistSyncRepo.ts"
import { HeldBlocklists } from "./HeldBlocklists.ts"

/** The lease of a sync: longer than a download and its storage take. */
const lease = { minutes: 10 }

/**
 * `due`: syncs when `sync_at` has passed. `asked`: syncs when the publisher allows a download. `forced`: always syncs, and
 * accepts any list.
 */
export type SyncMode = "due" | "asked" | "forced"

/** The outcome of a sync. */
export type SyncOutcome =
  | { readonly _tag: "Loaded"; readonly networks: number; readonly special: number }
  | { readonly _tag: "Unchanged"; readonly networks: number }
  | { readonly _tag: "Failed"; readonly reason: string; readonly retry_at: DateTime.Utc }
  | { readonly _tag: "TooSoon"; readonly again_at: DateTime.Utc; readonly failure: string | null }
  /** Another instance is syncing the list. */
  | { readonly _tag: "Busy" }

/** The earliest time of a sync. Null: immediately. */
const allowedAt = ({ minimum }: Blocklist, { failures, sync_at, synced_at }: BlocklistState, mode: SyncMode) => {
  if (mode === "forced") return null
  // The failure may be a result of too many downloads.
  if (mode === "due" || failures > 0) return sync_at
  return synced_at === null ? null : DateTime.addDuration(synced_at, minimum)
}

/** Syncs the copies of published lists with their publishers. One instance at a time syncs a list. */
export class BlocklistSync extends Context.Service<
  BlocklistSync,
  {
    readonly lists: ReadonlyArray<Blocklist>
    readonly states: Effect.Effect<ReadonlyArray<BlocklistState>>
    /** The lists whose `sync_at` has passed. */
    readonly due: Effect.Effect<ReadonlyArray<Blocklist>>
    /** Syncs a list. Runs `begin` before the download, and only when a download follows. */
    readonly sync: (list: Blocklist, mode: SyncMode, begin?: Effect.Effect<void>) => Effect.Effect<SyncOutcome>
  }
>()("app/ip-check/BlocklistSync") {
  static readonly layerNoDeps = Layer.effect(
    BlocklistSync,
    Effect.gen(function* () {
      const repo = yield* BlocklistSyncRepo
      const { states } = yield* BlocklistsRepo
      const { fetch } = yield* BlocklistDownload
      const settlement = yield* BlocklistSettlement
      const lists = yield* HeldBlocklists
      yield* repo.ensure(lists.map(({ id }) => id))

      const attempt = Effect.fnUntraced(function* (
        claimed: ClaimedBlocklist,
        isForced: boolean
      ): Effect.fn.Return<SyncOutcome, BlocklistUnusable> {
        const { known, list } = claimed
        const found = yield* fetch(list, isForced ? { etag: null, last_modified: null } : known)
        if (found === null || found.sha256 === known.sha256) {
          yield* settlement.unchanged(claimed, found ?? known)
          return { _tag: "Unchanged", networks: known.networks }
        }
        const networks = yield* settlement.loaded(claimed, found, isForced)
        return networks === null ? { _tag: "Busy" } : { _tag: "Loaded", networks, special: found.special }
      })

      const sync = Effect.fn("BlocklistSync.sync")(function* (
        list: Blocklist,
        mode: SyncMode,
        begin: Effect.Effect<void> = Effect.void
      ): Effect.fn.Return<SyncOutcome> {
        const now = yield* DateTime.now
        const mine = { id: list.id, ends_at: DateTime.add(now, lease) }
        const state = yield* repo.claim(mine)
        if (Option.isNone(state)) return { _tag: "Busy" }
        const again_at = allowedAt(list, state.value, mode)
        if (again_at !== null && DateTime.isLessThan(now, again_at)) {
          yield* repo.release(mine)
          return { _tag: "TooSoon", again_at, failure: state.value.failure }
        }
        const claimed = { list, lease: mine, known: state.value }
        return yield* Effect.andThen(begin, attempt(claimed, mode === "forced")).pipe(
          Effect.catchTag("BlocklistUnusable", (unusable) =>
            Effect.map(settlement.failed(claimed, unusable), (retry_at) => ({
              _tag: "Failed" as const,
              reason: unusable.reason,
              retry_at
            }))
          ),
          Effect.onInterrupt(() => repo.release(mine))
        )
      })

      const due = Effect.map(repo.due, (ids) => lists.filter(({ id }) => ids.includes(id)))
      return BlocklistSync.of({ lists, states, due, sync })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([BlocklistDownload.layer, BlocklistSettlement.layer]),
    Layer.provide([BlocklistsRepo.layer, BlocklistSyncRepo.layer])
  )
}
