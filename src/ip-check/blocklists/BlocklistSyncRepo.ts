import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { BlocklistState } from "./BlocklistState.ts"

/** How many networks a row has. */
const partSize = 4096

/** One instance's right to sync a list: until when, which also tells it from that of another. */
export interface Lease {
  readonly id: string
  readonly ends_at: DateTime.Utc
}

interface SyncTimes {
  readonly synced_at: DateTime.Utc
  readonly sync_at: DateTime.Utc
}

/** What a sync leaves behind beside the networks: of a load all of it. */
type Synced = Partial<Pick<BlocklistState, "etag" | "generation" | "last_modified" | "networks" | "sha256">>

const Claim = Schema.Struct({
  id: Schema.String,
  now: Schema.DateTimeUtcFromDate,
  ends_at: Schema.DateTimeUtcFromDate
})

/** Gives lists to the instances that sync them, one at a time each, and takes what comes of it. */
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

    const due = SqlSchema.findAll({
      Request: Schema.DateTimeUtcFromDate,
      Result: Schema.Struct({ id: Schema.String }),
      execute: (now) => sql`SELECT id FROM blocklist WHERE sync_at <= ${now} ORDER BY sync_at`
    })

    const claim = SqlSchema.findOneOption({
      Request: Claim,
      Result: BlocklistState,
      execute: ({ ends_at, id, now }) => sql`
        UPDATE blocklist SET lease_ends_at = ${ends_at}
        WHERE id = (
          SELECT id FROM blocklist
          WHERE id = ${id} AND (lease_ends_at IS NULL OR lease_ends_at <= ${now})
          FOR UPDATE SKIP LOCKED
        )
        RETURNING *
      `
    })

    const hold = ({ ends_at, id }: Lease) =>
      sql`SELECT id FROM blocklist WHERE id = ${id} AND lease_ends_at = ${DateTime.toDate(ends_at)} FOR UPDATE`

    /** Ends the lease, unless it has gone to another. */
    const settle = ({ ends_at, id }: Lease, changes: Readonly<Record<string, unknown>>) => sql`
      UPDATE blocklist SET ${sql.update({ ...changes, lease_ends_at: null })}
      WHERE id = ${id} AND lease_ends_at = ${DateTime.toDate(ends_at)}
    `

    /** Sorted by address, the broader ones first: the order an index is built in. */
    const replace = Effect.fnUntraced(function* (id: string, batches: ReadonlyArray<string>) {
      yield* sql`CREATE TEMPORARY TABLE blocklist_load (network cidr NOT NULL) ON COMMIT DROP`
      for (const batch of batches)
        yield* sql`INSERT INTO blocklist_load SELECT network::cidr FROM string_to_table(${batch}, E'\n') AS network`
      yield* sql`DELETE FROM blocklist_part WHERE blocklist_id = ${id}`
      const parts = yield* sql<{ networks: number }>`
        INSERT INTO blocklist_part (blocklist_id, part, networks)
        SELECT ${id}, part, array_agg(network ORDER BY network)
        FROM (
          SELECT network, (row_number() OVER (ORDER BY network) - 1) / ${partSize}::int AS part
          FROM (SELECT DISTINCT network FROM blocklist_load) AS listed
        ) AS numbered
        GROUP BY part
        RETURNING cardinality(networks) AS networks
      `
      return parts.reduce((sum, { networks }) => sum + networks, 0)
    })

    return {
      /** Makes a row for every list that has none; it is due at once. */
      ensure: (ids: ReadonlyArray<string>) => Effect.orDie(ensure(ids)),
      /** The lists whose time has come. */
      due: Effect.flatMap(DateTime.now, (now) =>
        Effect.map(Effect.orDie(due(now)), (rows) => rows.map(({ id }) => id))
      ),
      /** Takes a list that nobody else has. */
      claim: (lease: Lease) => Effect.flatMap(DateTime.now, (now) => Effect.orDie(claim({ ...lease, now }))),
      /** Gives a list back as it was. */
      release: (lease: Lease) => Effect.orDie(settle(lease, {})),
      /** Locks the list until the transaction ends; false when its lease has gone to another. */
      hold: (lease: Lease) => Effect.map(Effect.orDie(hold(lease)), (rows) => rows.length > 0),
      /** In a transaction, replaces the networks of a list by those of some texts, one on a line; answers how many. */
      replace: (id: string, batches: ReadonlyArray<string>) => Effect.orDie(replace(id, batches)),
      /** Tells every instance, once the transaction commits. */
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
