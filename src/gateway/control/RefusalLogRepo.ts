import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { GatewayNodeId } from "../GatewayNode.ts"
import type { RecordedRefusal } from "../RecordedRefusal.ts"

export class RefusalLogRepo extends Context.Service<RefusalLogRepo>()("app/gateway/RefusalLogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return {
      /**
       * Adds counts of the proxies of a node to those of the same day. In one order, so that no two gateways wait for each
       * other.
       */
      write: (node: GatewayNodeId, rows: ReadonlyArray<RecordedRefusal>) => sql`
        INSERT INTO gateway_refusal (proxy_id, day, reason, source, host, port, count, first_at, last_at)
        SELECT r.proxy_id, r.day, r.reason, r.source, r.host, r.port, r.count, r.first_at, r.last_at
        FROM jsonb_to_recordset(${sql.json(rows)}::jsonb) AS r (proxy_id uuid, day date, reason text, source inet, host text,
          port integer, count bigint, first_at timestamptz, last_at timestamptz)
        JOIN gateway_proxy p ON p.id = r.proxy_id AND p.node_id = ${node}
        ORDER BY r.proxy_id, r.day, r.reason, r.source, r.host, r.port
        ON CONFLICT ON CONSTRAINT gateway_refusal_same DO UPDATE SET
          count = gateway_refusal.count + EXCLUDED.count, last_at = greatest(gateway_refusal.last_at, EXCLUDED.last_at)
      `
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
