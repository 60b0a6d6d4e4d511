import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"

const count = Rows.one(Schema.Struct({ count: Schema.Finite }))

const counted = <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(count(query), ({ count }) => count)

/** Removes old records of the gateway, at most `limit` at once. Each answers the number of removed rows. */
export class GatewayLogCleanupRepo extends Context.Service<GatewayLogCleanupRepo>()(
  "app/gateway/GatewayLogCleanupRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        /** Removes connections that were opened before a time. */
        removeConnections: (before: DateTime.Utc, limit: number) =>
          counted(sql`
            WITH gone AS (
              DELETE FROM gateway_connection WHERE id IN (
                SELECT id FROM gateway_connection WHERE opened_at < ${DateTime.toDate(before)}
                ORDER BY opened_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
              ) RETURNING id
            ) SELECT count(*)::int AS count FROM gone
          `),
        /** Removes the keys of the UTC days before a day. */
        removeDays: (before: DateTime.Utc) =>
          Effect.orDie(
            sql`DELETE FROM gateway_log_day WHERE day < (${DateTime.toDate(before)}::timestamptz AT TIME ZONE 'UTC')::date`
          ),
        removeHolds: (before: DateTime.Utc, limit: number) =>
          counted(sql`
            WITH gone AS (
              DELETE FROM gateway_exit_hold WHERE ctid IN (
                SELECT ctid FROM gateway_exit_hold WHERE until_at < ${DateTime.toDate(before)} LIMIT ${limit}
              ) RETURNING proxy_id
            ) SELECT count(*)::int AS count FROM gone
          `),
        removeRefusals: (before: DateTime.Utc, limit: number) =>
          counted(sql`
            WITH gone AS (
              DELETE FROM gateway_refusal WHERE ctid IN (
                SELECT ctid FROM gateway_refusal WHERE last_at < ${DateTime.toDate(before)} LIMIT ${limit}
              ) RETURNING proxy_id
            ) SELECT count(*)::int AS count FROM gone
          `),
        removeRules: (before: DateTime.Utc, limit: number) =>
          counted(sql`
            WITH gone AS (
              DELETE FROM destination_rule WHERE id IN (
                SELECT id FROM destination_rule WHERE until_at < ${DateTime.toDate(before)} LIMIT ${limit}
              ) RETURNING id
            ) SELECT count(*)::int AS count FROM gone
          `),
        /** The connections that the log lacks. */
        dropped: counted(sql`SELECT coalesce(sum(dropped), 0)::float8 AS count FROM gateway_log_day`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
