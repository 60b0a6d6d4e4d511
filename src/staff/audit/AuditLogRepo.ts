import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { AuditEvent } from "./AuditEvent.ts"
import type { AuditFilter } from "./AuditFilter.ts"

const ChainHead = Schema.Struct({ seq: Schema.Int, hash: Schema.String })
export type ChainHead = typeof ChainHead.Type

/** A broken place of the chain: the number of its link, or the id of an event without a link. */
const ChainFault = Schema.Struct({ place: Schema.String, problem: Schema.String })
export type ChainFault = typeof ChainFault.Type

const faultsAtMost = 100

export class AuditLogRepo extends Context.Service<AuditLogRepo>()("app/staff/AuditLogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const events = Rows.all(AuditEvent)
    const head = Rows.one(ChainHead)
    const faults = Rows.all(ChainFault)

    const conditions = ({ action, after, from, outcome, staff_id, subject_id, to, user_id }: AuditFilter) => [
      ...(after === undefined ? [] : [sql`id < ${after}`]),
      ...(staff_id === undefined ? [] : [sql`staff_id = ${staff_id}`]),
      ...(action === undefined ? [] : [sql`action = ${action}`]),
      ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
      ...(subject_id === undefined ? [] : [sql`subject_id = ${subject_id}`]),
      ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
      ...(from === undefined ? [] : [sql`occurred_at >= ${DateTime.toDate(from)}`]),
      ...(to === undefined ? [] : [sql`occurred_at < ${DateTime.toDate(to)}`])
    ]

    return {
      /** Reads one event more than the limit, the newest first. */
      list: (filter: AuditFilter) =>
        events(sql`
          SELECT * FROM audit_event WHERE ${sql.and([sql`true`, ...conditions(filter)])}
          ORDER BY id DESC LIMIT ${filter.limit + 1}
        `),

      head: head(sql`SELECT seq::int AS seq, encode(hash, 'hex') AS hash FROM audit_head`),

      /** Compares each link with the one before and with its event, the last one with the head, and finds events without a link. */
      faults: faults(sql`
        WITH walked AS (
          SELECT l.seq, l.hash, l.previous_hash, lag(l.seq, 1, 0::bigint) OVER w AS seq_before,
            lag(l.hash, 1, ''::bytea) OVER w AS hash_before,
            CASE WHEN e.id IS NOT NULL THEN audit_hash(l.previous_hash, e) END AS expected
          FROM audit_link l LEFT JOIN audit_event e ON e.id = l.event_id
          WINDOW w AS (ORDER BY l.seq)
        ), found AS (
          SELECT seq::text AS place, CASE
            WHEN expected IS NULL THEN 'its event is missing'
            WHEN expected <> hash THEN 'its event was changed'
            WHEN seq <> seq_before + 1 THEN 'a link before it is missing'
            ELSE 'it does not continue the link before it' END AS problem
          FROM walked
          WHERE expected IS DISTINCT FROM hash OR seq <> seq_before + 1 OR previous_hash <> hash_before
          UNION ALL
          SELECT h.seq::text, 'the head is not the last link' FROM audit_head h
          LEFT JOIN (SELECT seq, hash FROM audit_link ORDER BY seq DESC LIMIT 1) l ON true
          WHERE h.seq <> coalesce(l.seq, 0) OR h.hash <> coalesce(l.hash, '')
          UNION ALL
          SELECT e.id::text, 'it has no link' FROM audit_event e
          WHERE NOT EXISTS (SELECT FROM audit_link l WHERE l.event_id = e.id)
        )
        SELECT place, problem FROM found ORDER BY length(place), place LIMIT ${faultsAtMost}
      `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
