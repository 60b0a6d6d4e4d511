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

      faults: faults(sql`SELECT place, problem FROM audit_fault ORDER BY length(place), place LIMIT ${faultsAtMost}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
