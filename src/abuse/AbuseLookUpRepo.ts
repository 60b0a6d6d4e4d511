import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"

/** A proxy that held an exit address, with its order and account. */
const Holder = Schema.Struct({
  proxy_id: Schema.String,
  order_id: Schema.String,
  /** Null: the proxy has no order. */
  user_id: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  from_at: Schema.DateTimeUtcFromDate,
  /** Null: it still holds the address. */
  until_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** False: the gateway does not record the connections of this proxy, because it is static. */
  is_logged: Schema.Boolean
})
export type Holder = typeof Holder.Type

/** A recorded connection. */
const Seen = Schema.Struct({
  proxy_id: Schema.String,
  exit_ip: Schema.String,
  exit_port: Schema.Int,
  opened_at: Schema.DateTimeUtcFromDate,
  seen_at: Schema.DateTimeUtcFromDate,
  destination_port: Schema.Int
})
export type Seen = typeof Seen.Type

/** The time of a complaint with its tolerance. */
export interface Moment {
  readonly from: DateTime.Utc
  readonly until: DateTime.Utc
}

interface Sought {
  readonly proxy_ids: ReadonlyArray<string>
  readonly isMachine: boolean
  readonly exit_ip: string
  readonly exit_port: number | null
  readonly macs: ReadonlyArray<Uint8Array> | null
}

const holders = Rows.all(Holder)
const connections = Rows.all(Seen)
const keys = Rows.all(Schema.Struct({ key: Schema.Uint8Array }))
const completeness = Rows.one(Schema.Struct({ missing_days: Schema.Int, dropped: Schema.Finite }))

/** The gateway reports an open connection again within this time; an unfinished record may have gone on for as long. */
const unfinishedSeconds = 330
const seenOfEach = 5
/** Addresses that destinations do not see, because a router translates them. */
const hidden = "{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,127.0.0.0/8,fc00::/7}"

/** Reads the records of the gateway, and the orders and accounts behind them. */
export class AbuseLookUpRepo extends Context.Service<AbuseLookUpRepo>()("app/abuse/AbuseLookUpRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const during = ({ from, until }: Moment) => sql`
      h.from_at <= ${DateTime.toDate(until)} AND (h.until_at IS NULL OR h.until_at >= ${DateTime.toDate(from)})
    `

    return {
      /**
       * Lists the proxies that held an address, each with its last hold in this time. Also lists the rotating proxies of the
       * address's pool whose address at this time is not on record, because the rotation is older than the record, and the
       * ones whose connections leave from all addresses of the pool.
       */
      holders: (exit_ip: string, isMachine: boolean, at: Moment, limit: number) =>
        holders(sql`
          SELECT proxy_id, g.reference AS order_id, o.user_id, a.email, from_at, until_at,
            g.kind = 'mobile' OR held.exit_ip IS NULL AS is_logged FROM (
            SELECT DISTINCT ON (proxy_id) proxy_id, exit_ip, from_at, until_at FROM (
              SELECT proxy_id, exit_ip, from_at, until_at FROM gateway_exit_hold h
              WHERE (h.exit_ip = ${exit_ip}::inet OR ${isMachine}::boolean AND h.exit_ip IS NULL) AND ${during(at)}
              UNION ALL
              SELECT p.id, p.exit_ip, p.created_at, CASE WHEN p.status = 'closed' THEN p.updated_at END FROM gateway_proxy p
              WHERE p.kind = 'mobile' AND p.rotations > 0 AND family(p.exit_ip) = family(${exit_ip}::inet)
                AND p.created_at <= ${DateTime.toDate(at.until)}
                AND (p.status = 'open' OR p.updated_at >= ${DateTime.toDate(at.from)})
                AND NOT EXISTS (SELECT FROM gateway_exit_hold h WHERE h.proxy_id = p.id AND ${during(at)})
                AND coalesce(p.pool = (SELECT e.pool FROM exit_address e WHERE e.ip = ${exit_ip}::inet), true)
              UNION ALL
              SELECT h.proxy_id, h.exit_ip, h.from_at, h.until_at FROM gateway_exit_hold h JOIN gateway_proxy p ON p.id = h.proxy_id
              WHERE p.session_minutes IS NOT NULL AND family(h.exit_ip) = family(${exit_ip}::inet) AND ${during(at)}
                AND p.pool = (SELECT e.pool FROM exit_address e WHERE e.ip = ${exit_ip}::inet)
            ) known ORDER BY proxy_id, from_at DESC LIMIT ${limit}
          ) held JOIN gateway_proxy g ON g.id = held.proxy_id
          LEFT JOIN proxy_order o ON o.id = g.reference LEFT JOIN user_account a ON a.id = o.user_id
          ORDER BY from_at DESC, proxy_id
        `),

      /** True when a proxy left from the address of the gateway's machine, or from one that a router translates. */
      hasHidden: (at: Moment) =>
        Rows.any(sql`
          SELECT FROM gateway_exit_hold h
          WHERE (h.exit_ip IS NULL OR h.exit_ip <<= ANY (${hidden}::inet[])) AND ${during(at)} LIMIT 1
        `),

      /** The keys of all days of the log. */
      keys: keys(sql`SELECT key FROM gateway_log_day ORDER BY day`),

      /** Counts the days of this time that the log does not have, and the connections that it lacks. */
      completeness: ({ from, until }: Moment) =>
        completeness(sql`
          SELECT count(*) FILTER (WHERE d.day IS NULL)::int AS missing_days, coalesce(sum(d.dropped), 0)::float8 AS dropped
          FROM generate_series((${DateTime.toDate(from)}::timestamptz AT TIME ZONE 'UTC')::date,
            (${DateTime.toDate(until)}::timestamptz AT TIME ZONE 'UTC')::date, '1 day') AS asked (day)
          LEFT JOIN gateway_log_day d ON d.day = asked.day::date
        `),

      /**
       * Lists the recorded connections that fit, the last ones of each proxy. A connection of the machine with a translated
       * address fits with any port, because its port outside is unknown.
       */
      connections: ({ exit_ip, exit_port, isMachine, macs, proxy_ids }: Sought, { from, until }: Moment) => {
        const port = exit_port === null ? sql`true` : sql`exit_port = ${exit_port}`
        const translated = sql`exit_ip <<= ANY (${hidden}::inet[]) AND family(exit_ip) = family(${exit_ip}::inet)`
        return connections(sql`
          SELECT proxy_id, host(exit_ip) AS exit_ip, exit_port, opened_at, seen_at, destination_port FROM (
            SELECT *, row_number() OVER (PARTITION BY proxy_id ORDER BY opened_at DESC) AS place FROM gateway_connection
            WHERE proxy_id = ANY (${proxy_ids}::uuid[]) AND opened_at <= ${DateTime.toDate(until)}
              AND seen_at + interval '1 second' * CASE WHEN closed THEN 0 ELSE ${unfinishedSeconds}::int END
                >= ${DateTime.toDate(from)}
              AND (exit_ip = ${exit_ip}::inet AND ${port} OR ${isMachine}::boolean AND ${translated})
              AND ${macs === null ? sql`true` : sql`destination_mac = ANY (${macs}::bytea[])`}
          ) fitting WHERE place <= ${seenOfEach} ORDER BY opened_at DESC, exit_port
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
