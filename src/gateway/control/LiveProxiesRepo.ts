import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import type { GatewayNodeId } from "../GatewayNode.ts"
import { GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"

const proxies = Rows.all(GatewayProxy)
const Revision = Schema.Struct({ id: GatewayProxyId, revision: Schema.Int })
const revisions = Rows.all(Revision)
const exits = Rows.all(Schema.Struct({ ip: Schema.String }))
const changes = Rows.one(
  Schema.Struct({
    next: Schema.String,
    changed: Schema.NullOr(Schema.Array(Schema.Struct({ ...Revision.fields, status: GatewayProxy.fields.status })))
  })
)

/** Reads the proxies that a gateway process serves, and listens for their changes. */
export class LiveProxiesRepo extends Context.Service<LiveProxiesRepo>()("app/gateway/LiveProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { wake } = yield* Wakes

    return {
      /** Reads proxies of a node. */
      byIds: (node: GatewayNodeId, ids: ReadonlyArray<GatewayProxyId>) =>
        proxies(sql`SELECT * FROM gateway_proxy WHERE id = ANY (${ids}::uuid[]) AND node_id = ${node}`),

      /** Closes at most 1,000 open proxies of a node that expired before a time. */
      closeExpired: (
        node: GatewayNodeId,
        { before, now }: { readonly before: DateTime.Utc; readonly now: DateTime.Utc }
      ) =>
        sql<{ id: string }>`
          UPDATE gateway_proxy SET status = 'closed', updated_at = ${DateTime.toDate(now)} WHERE id IN (
            SELECT id FROM gateway_proxy
            WHERE status = 'open' AND expires_at < ${DateTime.toDate(before)} AND node_id = ${node}
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `.pipe(
          Effect.flatMap((closed) =>
            wake(
              "gateway_proxy",
              closed.map(({ id }) => id)
            )
          )
        ),

      /** Lists the open proxies of a node. The gateway reads a whole row only when its revision has changed. */
      revisions: (node: GatewayNodeId) =>
        revisions(sql`SELECT id, revision FROM gateway_proxy WHERE status = 'open' AND node_id = ${node}`),

      /** Lists the exit addresses of the shop. */
      exits: exits(sql`SELECT host(ip) AS ip FROM exit_address ORDER BY ip`).pipe(
        Effect.map((found) => found.map(({ ip }) => ip))
      ),

      /**
       * Lists the proxies that transactions from `since` on have changed, and the `since` of the next call. Without `since`
       * it lists none. Each committed change is in at least one list. Restored rows may have transactions of the future.
       */
      changedSince: (node: GatewayNodeId, since: string | undefined) =>
        changes(sql`
          SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next, (
            SELECT json_agg(json_build_object('id', id, 'revision', revision, 'status', status))
            FROM gateway_proxy
            WHERE changed_in >= ${since ?? null}::bigint AND changed_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
              AND node_id = ${node}
          ) AS changed
        `).pipe(Effect.map(({ changed, next }) => ({ next, changed: changed ?? [] }))),

      /** Receives the ids of changed proxies. Fails when the connection is lost. */
      changes: sql.listen("gateway_proxy")
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
