import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { GatewayNodeId } from "../GatewayNode.ts"
import type { RecordedConnection } from "../RecordedConnection.ts"

const key = Rows.one(Schema.Struct({ key: Schema.Uint8Array }))

export class ConnectionLogRepo extends Context.Service<ConnectionLogRepo>()("app/gateway/ConnectionLogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return {
      /** Returns the key of a UTC day, such as `2027-01-31`. The first gateway that asks decides it. */
      keyOf: (day: string, proposed: Uint8Array) =>
        sql`INSERT INTO gateway_log_day (day, key) VALUES (${day}::date, ${proposed}) ON CONFLICT DO NOTHING`.pipe(
          Effect.andThen(key(sql`SELECT key FROM gateway_log_day WHERE day = ${day}::date`)),
          Effect.map(({ key }) => key)
        ),

      /** Records connections of the proxies of a node. */
      write: (node: GatewayNodeId, rows: ReadonlyArray<RecordedConnection>) => sql`
        INSERT INTO gateway_connection (id, proxy_id, exit_ip, exit_port, opened_at, seen_at, closed, destination_port,
          destination_mac)
        SELECT r.id, proxy_id, exit_ip, exit_port, opened_at, seen_at, closed, destination_port, decode(mac, 'hex')
        FROM jsonb_to_recordset(${sql.json(rows)}::jsonb) AS r (id uuid, proxy_id uuid, exit_ip inet, exit_port integer,
          opened_at timestamptz, seen_at timestamptz, closed boolean, destination_port integer, mac text)
        WHERE EXISTS (SELECT FROM gateway_proxy p WHERE p.id = r.proxy_id AND p.node_id = ${node})
        ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at, closed = EXCLUDED.closed
      `,

      /** Counts connections of a day with a key that could not be recorded. */
      countDropped: (day: string, count: number) =>
        sql`UPDATE gateway_log_day SET dropped = dropped + ${count} WHERE day = ${day}::date`
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
