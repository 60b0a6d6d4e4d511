import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { CountedRefusals } from "./RefusalLog.ts"

/** A count as it is written; times are ISO texts. */
interface RefusalRow extends Omit<CountedRefusals, "first_at" | "last_at"> {
  readonly first_at: string
  readonly last_at: string
}

export class RefusalLogRepo extends Context.Service<RefusalLogRepo>()("app/gateway/RefusalLogRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return {
      /** Adds counts to those of the same day. In one order, so that no two gateways wait for each other. */
      write: (rows: ReadonlyArray<RefusalRow>) => sql`
        INSERT INTO gateway_refusal (proxy_id, day, reason, source, host, port, count, first_at, last_at)
        SELECT r.proxy_id, r.day, r.reason, r.source, r.host, r.port, r.count, r.first_at, r.last_at
        FROM jsonb_to_recordset(${sql.json(rows)}::jsonb) AS r (proxy_id uuid, day date, reason text, source inet, host text,
          port integer, count bigint, first_at timestamptz, last_at timestamptz)
        JOIN gateway_proxy p ON p.id = r.proxy_id
        ORDER BY r.proxy_id, r.day, r.reason, r.source, r.host, r.port
        ON CONFLICT ON CONSTRAINT gateway_refusal_same DO UPDATE SET
          count = gateway_refusal.count + EXCLUDED.count, last_at = greatest(gateway_refusal.last_at, EXCLUDED.last_at)
      `
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
