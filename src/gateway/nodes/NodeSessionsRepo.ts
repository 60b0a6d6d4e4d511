import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import * as UuidV5 from "../../platform/UuidV5.ts"
import { GatewayNodeId, GatewayNodeState, localNode } from "../GatewayNode.ts"
import { GatewayProxyId } from "../GatewayProxy.ts"
import type { NodeRun } from "../NodeControl.ts"
import { ServedProxy } from "../ServedProxy.ts"

const Versioned = Schema.Struct({ ...ServedProxy.fields, version: Schema.BigInt })
const proxies = Rows.all(Versioned)
const departures = Rows.all(Schema.Struct({ proxy_id: GatewayProxyId, version: Schema.BigInt }))
const standing = Rows.first(
  Schema.Struct({
    state: GatewayNodeState,
    version: Schema.BigInt,
    key: Schema.NullOr(Schema.String),
    session: Schema.NullOr(Schema.String)
  })
)
const states = Rows.one(Schema.Struct({ state: GatewayNodeState }))
const heard = Rows.all(Schema.Struct({ id: GatewayNodeId, report: Schema.Finite }))
const ids = Rows.all(Schema.Struct({ id: GatewayNodeId }))
const columns = Rows.columnsOf(Versioned)

/** The rows of one message. */
const batch = 500

/** Replaces the account by an alias that only this node knows. */
const withAlias = (node: GatewayNodeId) => (row: typeof Versioned.Type) =>
  row.account_id === null ? row : { ...row, account_id: UuidV5.make(node, row.account_id) }

const select = (node: GatewayNodeId, query: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.map(proxies(query), (rows) => rows.map(withAlias(node)))

/** What a node serves. */
const proxiesOf = (sql: PgClient.PgClient) => {
  return {
    /** Reads a part of the open proxies of a node, in the order of their ids. */
    open: (node: GatewayNodeId, after: string | undefined) =>
      select(
        node,
        sql`
          SELECT ${sql.literal(columns)} FROM gateway_proxy
          WHERE node_id = ${node} AND status = 'open' AND (${after ?? null}::uuid IS NULL OR id > ${after ?? null}::uuid)
          ORDER BY id LIMIT ${batch}
        `
      ),
    /** Reads the proxies that changed after a version, with the ended ones, in the order of the versions. */
    changed: (node: GatewayNodeId, after: bigint) =>
      select(
        node,
        sql`
          SELECT ${sql.literal(columns)} FROM gateway_proxy
          WHERE node_id = ${node} AND version > ${after} ORDER BY version LIMIT ${batch}
        `
      ),
    departed: (node: GatewayNodeId, after: bigint) =>
      departures(sql`
        SELECT proxy_id, version FROM gateway_departure
        WHERE node_id = ${node} AND version > ${after} ORDER BY version LIMIT ${batch}
      `)
  }
}

/** What a connection of a node reads and writes besides the calls of every gateway. */
export class NodeSessionsRepo extends Context.Service<NodeSessionsRepo>()("app/gateway/NodeSessionsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      ...proxiesOf(sql),
      /** Hears the ids of nodes with changes. */
      changes: sql.listen("gateway_node"),
      /** The state of a node, its version, its key in hexadecimal, and the connection that gets its changes. */
      standing: (node: GatewayNodeId) =>
        standing(sql`
          SELECT n.state, n.version, encode(n.public_key, 'hex') AS key, s.session FROM gateway_node n
          LEFT JOIN gateway_node_status s ON s.node_id = n.id WHERE n.id = ${node}
        `),
      /** Makes this connection the one that gets the changes. */
      begin: (node: GatewayNodeId, session: string, { boot_id, program }: NodeRun, now: DateTime.Utc) => {
        const at = DateTime.toDate(now)
        return Effect.orDie(sql`
          INSERT INTO gateway_node_status (node_id, session, boot_id, program, heard_at)
          VALUES (${node}, ${session}, ${boot_id}, ${program}, ${at})
          ON CONFLICT (node_id) DO UPDATE SET session = EXCLUDED.session, boot_id = EXCLUDED.boot_id,
            program = EXCLUDED.program, heard_at = EXCLUDED.heard_at
        `)
      },
      hear: (node: GatewayNodeId, served: number, offset_ms: number, now: DateTime.Utc) =>
        states(sql`
          WITH heard AS (
            UPDATE gateway_node_status SET heard_at = ${DateTime.toDate(now)}, served = ${served},
              offset_ms = ${offset_ms}
            WHERE node_id = ${node}
          )
          SELECT state FROM gateway_node WHERE id = ${node}
        `),
      /** Records what the node serves. A node that serves all it knows of is ready for the first time. */
      acknowledge: (node: GatewayNodeId, version: bigint, now: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH acked AS (
            UPDATE gateway_node_status SET acked_version = ${version} WHERE node_id = ${node}
          )
          UPDATE gateway_node SET state = 'ready', state_since = ${DateTime.toDate(now)}, reason = NULL,
            updated_at = ${DateTime.toDate(now)}
          WHERE id = ${node} AND state IN ('joining', 'silent', 'lost')
        `),
      /** The nodes that should be heard, each with the time at which it was. */
      heard: heard(sql`
        SELECT n.id, coalesce(extract(epoch FROM s.heard_at), 0)::float8 AS report
        FROM gateway_node n JOIN gateway_node_status s ON s.node_id = n.id WHERE n.state = 'ready'
      `),
      /** The lost nodes with leases that are not settled. */
      lost: Effect.map(
        ids(sql`
          SELECT n.id FROM gateway_node n WHERE n.state = 'lost' AND EXISTS (
            SELECT FROM gateway_instance i WHERE i.node_id = n.id AND i.settled_at IS NULL
          ) LIMIT 100
        `),
        (found) => found.map(({ id }) => id)
      ),
      /** Closes the expired proxies of all nodes but the local one, whose gateways do it themselves. */
      closeExpired: (before: DateTime.Utc, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE gateway_proxy SET status = 'closed', updated_at = ${DateTime.toDate(now)} WHERE id IN (
            SELECT id FROM gateway_proxy
            WHERE status = 'open' AND node_id <> ${localNode} AND expires_at < ${DateTime.toDate(before)}
            ORDER BY node_id, id LIMIT 1000 FOR UPDATE SKIP LOCKED
          )
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
