import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { GatewayNodeId, GatewayNodeState, localNode } from "../GatewayNode.ts"

/** A node with what it last said. */
export const ListedNode = Schema.Struct({
  id: GatewayNodeId,
  name: Schema.String,
  state: GatewayNodeState,
  state_since: Schema.DateTimeUtcFromDate,
  host: Schema.NullOr(Schema.String),
  has_key: Schema.Boolean,
  program: Schema.NullOr(Schema.String),
  heard_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The proxies that the node says it serves. */
  served: Schema.NullOr(Schema.Int),
  offset_ms: Schema.NullOr(Schema.Int),
  open_proxies: Schema.Int,
  /** The changes that the node has not acknowledged. */
  behind: Schema.NullOr(Schema.Int)
})
export type ListedNode = typeof ListedNode.Type

const listed = Rows.all(ListedNode)
const firstListed = Rows.first(ListedNode)
const firstId = Rows.first(Schema.Struct({ id: GatewayNodeId }))
const enrolled = Rows.first(Schema.Struct({ node_id: GatewayNodeId }))
const known = Rows.first(
  Schema.Struct({ id: GatewayNodeId, name: Schema.String, state: GatewayNodeState, public_key: Schema.Uint8Array })
)

/** A key may enrol again with its token for this time, because the answer may be lost. */
const repeat = { minutes: 10 }

/** The keys of nodes. */
const keysOf = (sql: PgClient.PgClient) => ({
  /** Adds a token of a node and ends its earlier ones. */
  issue: (node: GatewayNodeId, token_hash: string, expires_at: DateTime.Utc) =>
    Effect.orDie(sql`
      WITH ended AS (DELETE FROM gateway_enrolment WHERE node_id = ${node})
      INSERT INTO gateway_enrolment (token_hash, node_id, expires_at)
      VALUES (${token_hash}, ${node}, ${DateTime.toDate(expires_at)})
    `),
  /** Gives the node of a token its key. None: the token is unknown, used or too old, or the name is another node's. */
  enrol: (token_hash: string, name: string, public_key: Uint8Array, now: DateTime.Utc) => {
    const at = DateTime.toDate(now)
    const since = DateTime.toDate(DateTime.subtract(now, repeat))
    return Effect.map(
      enrolled(sql`
        WITH used AS (
          UPDATE gateway_enrolment e SET used_by_key = ${public_key}, used_at = coalesce(e.used_at, ${at}::timestamptz)
          FROM gateway_node n
          WHERE e.token_hash = ${token_hash} AND n.id = e.node_id AND n.name = ${name} AND n.state <> 'retired'
            AND e.expires_at > ${at} AND (e.used_at IS NULL OR e.used_by_key = ${public_key} AND e.used_at > ${since})
          RETURNING e.node_id
        )
        UPDATE gateway_node n SET public_key = ${public_key}, updated_at = ${at} FROM used
        WHERE n.id = used.node_id RETURNING n.id AS node_id
      `),
      Option.map(({ node_id }) => node_id)
    )
  },
  /** Finds a node that has a key. */
  withKey: (id: string) =>
    known(sql`
      SELECT id, name, state, public_key FROM gateway_node
      WHERE id = ${id} AND public_key IS NOT NULL AND state <> 'retired'
    `),
  /** Takes the key from a node: its connections end. */
  revoke: (id: GatewayNodeId, now: DateTime.Utc) =>
    Effect.orDie(sql`
      WITH ended AS (DELETE FROM gateway_enrolment WHERE node_id = ${id})
      UPDATE gateway_node SET public_key = NULL, updated_at = ${DateTime.toDate(now)} WHERE id = ${id}
    `)
})

/** The nodes, their keys and their enrolments. */
export class NodesRepo extends Context.Service<NodesRepo>()("app/gateway/NodesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql`
      SELECT n.id, n.name, n.state, n.state_since, n.host, n.public_key IS NOT NULL AS has_key, s.program, s.heard_at,
        s.served, s.offset_ms,
        (SELECT count(*)::int FROM gateway_proxy p WHERE p.node_id = n.id AND p.status = 'open') AS open_proxies,
        (n.version - s.acked_version)::int AS behind
      FROM gateway_node n LEFT JOIN gateway_node_status s ON s.node_id = n.id
    `
    return {
      ...keysOf(sql),
      list: listed(sql`${columns} ORDER BY n.name LIMIT 1000`),
      byName: (name: string) => firstListed(sql`${columns} WHERE n.name = ${name}`),
      /** True when the operator has added a node. */
      any: Rows.any(sql`SELECT FROM gateway_node WHERE id <> ${localNode} LIMIT 1`),
      insert: (id: GatewayNodeId, name: string, host: string, now: DateTime.Utc) => {
        const at = DateTime.toDate(now)
        return Effect.map(
          firstId(sql`
            WITH added AS (
              INSERT INTO gateway_node (id, name, state, state_since, host, created_at, updated_at)
              VALUES (${id}, ${name}, 'joining', ${at}, ${host}, ${at}, ${at}) ON CONFLICT (name) DO NOTHING RETURNING id
            ), status AS (INSERT INTO gateway_node_status (node_id) SELECT id FROM added)
            SELECT id FROM added
          `),
          Option.isSome
        )
      },
      /** Moves a node to a state from one of the given ones. False: it is in none of them. */
      move: (
        id: GatewayNodeId,
        from: ReadonlyArray<GatewayNodeState>,
        to: GatewayNodeState,
        reason: string | null,
        now: DateTime.Utc
      ) => {
        const at = DateTime.toDate(now)
        return Rows.any(sql`
          UPDATE gateway_node SET state = ${to}, state_since = ${at}, reason = ${reason}, updated_at = ${at}
          WHERE id = ${id} AND id <> ${localNode} AND state = ANY (${from}::text[]) RETURNING id
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
