import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { BlocklistState } from "./BlocklistState.ts"

/** The maximum number of networks in a row of `blocklist_part`. */
const partSize = 4096

/** The lease of one instance on a list. `ends_at` also distinguishes it from the leases of other instances. */
export interface Lease {
  readonly id: string
  readonly ends_at: DateTime.Utc
}

interface SyncTimes {
  readonly synced_at: DateTime.Utc
  readonly sync_at: DateTime.Utc
}

/** The changed state after a sync. A load changes all of these fields. */
type Synced = Partial<Pick<BlocklistState, "etag" | "generation" | "last_modified" | "networks" | "sha256">>

const ids = Rows.all(Schema.Struct({ id: Schema.String }))
const state = Rows.first(BlocklistState)
const parts = Rows.all(Schema.Struct({ networks: Schema.Int }))

/** Stores the leases of syncs and the copies of lists. */
export class BlocklistSyncRepo extends Context.Service<BlocklistSyncRepo>()("app/ip-check/BlocklistSyncRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ensure = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`
        INSERT INTO blocklist (id, generation, networks, sync_at, failures)
        SELECT id, 0, 0, ${now}, 0 FROM unnest(${ids}::text[]) AS id
        ON CONFLICT (id) DO NOTHING
      `
    })

    const due = (now: DateTime.Utc) =>
      ids(sql`SELECT id FROM blocklist WHERE sync_at <= ${DateTime.toDate(now)} ORDER BY sync_at`)

    const claim = ({ ends_at, id }: Lease, now: DateTime.Utc) =>
      state(sql`
        UPDATE blocklist SET lease_ends_at = ${DateTime.toDate(ends_at)}
        WHERE id = (
          SELECT id FROM blocklist
          WHERE id = ${id} AND (lease_ends_at IS NULL OR lease_ends_at <= ${DateTime.toDate(now)})
          FOR UPDATE SKIP LOCKED
        )
        RETURNING *
      `)

    const hold = ({ ends_at, id }: Lease) =>
      sql`SELECT id FROM blocklist WHERE id = ${id} AND lease_ends_at = ${DateTime.toDate(ends_at)} FOR UPDATE`

    /** Ends the lease and applies the changes, unless another instance has the lease. */
    const settle = ({ ends_at, id }: Lease, changes: Readonly<Record<string, unknown>>) => sql`
      UPDATE blocklist SET ${sql.update({ ...changes, lease_ends_at: null })}
      WHERE id = ${id} AND lease_ends_at = ${DateTime.toDate(ends_at)}
    `

    /** Sorts by address, the broader network first, because the index is built in this order. */
    const replace = Effect.fnUntraced(function* (id: string, batches: ReadonlyArray<string>) {
      yield* sql`CREATE TEMPORARY TABLE blocklist_load (network cidr NOT NULL) ON COMMIT DROP`
      for (const batch of batches)
        yield* sql`INSERT INTO blocklist_load SELECT network::cidr FROM string_to_table(${batch}, E'\n') AS network`
      yield* sql`DELETE FROM blocklist_part WHERE blocklist_id = ${id}`
      const stored = yield* parts(sql`
        INSERT INTO blocklist_part (blocklist_id, part, networks)
        SELECT ${id}, part, array_agg(network ORDER BY network)
        FROM (
          SELECT network, (row_number() OVER (ORDER BY network) - 1) / ${partSize}::int AS part
          FROM (SELECT DISTINCT network FROM blocklist_load) AS listed
        ) AS numbered
        GROUP BY part
        RETURNING cardinality(networks) AS networks
      `)
      return stored.reduce((sum, { networks }) => sum + networks, 0)
    })

    return {
      /** Inserts a row for every list that has none. Its sync is due immediately. */
      ensure: (ids: ReadonlyArray<string>) => Effect.orDie(ensure(ids)),
      /** Lists the ids of the lists whose `sync_at` has passed. */
      due: Effect.flatMap(DateTime.now, (now) => Effect.map(due(now), (rows) => rows.map(({ id }) => id))),
      /** Claims a list. None when another instance holds it. */
      claim: (lease: Lease) => Effect.flatMap(DateTime.now, (now) => claim(lease, now)),
      /** Ends the lease without changes. */
      release: (lease: Lease) => Effect.orDie(settle(lease, {})),
      /** Locks the list until the transaction ends. False when another instance has the lease. */
      hold: (lease: Lease) => Rows.any(hold(lease)),
      /** Replaces the networks of a list. Each batch has one network per line. Returns the stored number. Needs a transaction. */
      replace: (id: string, batches: ReadonlyArray<string>) => Effect.orDie(replace(id, batches)),
      /** Records a successful sync, and notifies every instance when the transaction commits. */
      synced: Effect.fnUntraced(function* (lease: Lease, { sync_at, synced_at }: SyncTimes, changes: Synced) {
        const times = { synced_at: DateTime.toDate(synced_at), sync_at: DateTime.toDate(sync_at) }
        yield* settle(lease, { ...times, ...changes, failures: 0, failure: null })
        yield* sql`SELECT pg_notify('blocklist', ${lease.id})`
      }, Effect.orDie),
      failed: (lease: Lease, failures: number, failure: string, sync_at: DateTime.Utc) =>
        Effect.orDie(settle(lease, { failures, failure, sync_at: DateTime.toDate(sync_at) }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
