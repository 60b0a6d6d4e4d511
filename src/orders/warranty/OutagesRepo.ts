import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Currency } from "../../platform/Money.ts"
import { Order, OrderId } from "../Order.ts"
import { EndedOutage, Outage, type OutageId } from "./Outage.ts"
import { failuresToFail } from "./Probe.ts"

/** The tries that the brake looks at. */
const recent = { minutes: 5 }
/** The service has reached a provider's proxies within this time, or it says nothing about them. */
const reached = { hours: 24 }

/** The tries of one provider in the last minutes. */
const Sound = Schema.Struct({ provider: Schema.String, is_sound: Schema.Boolean })

/** A credit for an outage. */
interface Claim {
  readonly id: string
  readonly outage_id: OutageId
  readonly order_id: OrderId
  readonly user_id: string
  readonly payment_id: string
  readonly currency: Currency
  readonly paid: bigint
  readonly down_seconds: bigint
  readonly period_seconds: bigint
  readonly amount: bigint
  readonly transaction_id: string
  readonly created_at: Date
}

type Sql = PgClient.PgClient

/** Failing from every vantage outside that has tried the proxy. */
const failing = (sql: Sql) => sql`
  h.failures >= ${failuresToFail} AND h.vantage <> 'self' AND NOT EXISTS (
    SELECT FROM proxy_health other WHERE other.order_id = h.order_id AND other.vantage <> 'self'
      AND other.tried_at IS NOT NULL AND other.failures < ${failuresToFail}
  )
`

const course = (sql: Sql) => {
  const sound = Rows.all(Sound)
  return {
    /** True while a proxy fails that has no outage on record. */
    isFailing: Rows.any(sql`
      SELECT FROM proxy_health h WHERE ${failing(sql)}
        AND NOT EXISTS (SELECT FROM proxy_outage g WHERE g.order_id = h.order_id AND g.to_at IS NULL) LIMIT 1
    `),

    /** True while an outage lasts. */
    lasts: Rows.any(sql`SELECT FROM proxy_outage WHERE to_at IS NULL LIMIT 1`),

    /**
     * The providers with tries of late. One is sound unless most of its proxies, and at least three, fail: then this service is
     * cut off, and not they. None of its proxies has worked for a day: the service has never reached them.
     */
    sound: (now: DateTime.Utc) => {
      const [since, worked] = [DateTime.subtract(now, recent), DateTime.subtract(now, reached)]
      return sound(sql`
        SELECT o.provider, bool_or(h.worked_at >= ${DateTime.toDate(worked)}) IS TRUE
          AND (count(*) FILTER (WHERE h.failures > 0 AND h.tried_at >= ${DateTime.toDate(since)}) < 3
            OR 2 * count(*) FILTER (WHERE h.failures > 0 AND h.tried_at >= ${DateTime.toDate(since)})
              <= count(*) FILTER (WHERE h.tried_at >= ${DateTime.toDate(since)})) AS is_sound
        FROM proxy_health h JOIN proxy_order o ON o.id = h.order_id
        WHERE h.vantage = 'centre' AND (h.tried_at >= ${DateTime.toDate(since)} OR h.worked_at >= ${DateTime.toDate(worked)})
        GROUP BY o.provider
      `)
    },

    /**
     * Records outages of running proxies of these providers that fail since `since` or longer, and were tried after `tried`. No
     * outage begins before the end of an earlier one. One that is tried only on demand has none: its owner chooses the moments.
     */
    open: (providers: ReadonlyArray<string>, times: Readonly<Record<"now" | "since" | "tried", DateTime.Utc>>) =>
      Effect.orDie(sql`
        INSERT INTO proxy_outage (id, order_id, from_at, error, created_at)
        SELECT gen_random_uuid(), h.order_id, greatest(max(h.failing_since), (
            SELECT max(g.to_at) FROM proxy_outage g WHERE g.order_id = h.order_id
          )), max(h.error), ${DateTime.toDate(times.now)}
        FROM proxy_health h JOIN proxy_order o ON o.id = h.order_id
        WHERE ${failing(sql)} AND h.tried_at >= ${DateTime.toDate(times.tried)} AND h.probe_at IS NOT NULL
          AND o.proxy_status IN ('active', 'expiring') AND o.provider = ANY (${[...providers]}::text[])
        GROUP BY h.order_id HAVING max(h.failing_since) <= ${DateTime.toDate(times.since)}
        ON CONFLICT (order_id) WHERE to_at IS NULL DO NOTHING
      `),

    /**
     * Ends the outages of proxies that work again, that have ended, or that nobody has tried since `untried`. So long before a
     * success, as while the whole service was down, nobody knows either.
     */
    close: (untried: DateTime.Utc, now: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE proxy_outage g SET to_at = greatest(g.from_at, least(e.at, ${DateTime.toDate(now)})), ended_by = e.reason
        FROM (
          SELECT DISTINCT ON (order_id) order_id, at, reason FROM (
            SELECT h.order_id, CASE WHEN is_long THEN h.failed_at ELSE h.worked_at END AS at,
              CASE WHEN is_long THEN 'untried' ELSE 'works' END AS reason, 1 AS rank
            FROM proxy_health h CROSS JOIN LATERAL (
              SELECT h.worked_at - h.failed_at > ${DateTime.toDate(now)}::timestamptz - ${DateTime.toDate(untried)}::timestamptz
                AS is_long
            ) gap JOIN proxy_outage g ON g.order_id = h.order_id AND g.to_at IS NULL
            WHERE h.vantage <> 'self' AND h.failures = 0 AND h.worked_at > g.from_at
            UNION ALL
            SELECT o.id, coalesce(least(o.expires_at, o.updated_at), o.updated_at), 'ended', 2
            FROM proxy_order o JOIN proxy_outage g ON g.order_id = o.id AND g.to_at IS NULL
            WHERE o.proxy_status NOT IN ('active', 'expiring')
            UNION ALL
            SELECT g.order_id, coalesce(max(h.tried_at), g.from_at), 'untried', 3
            FROM proxy_outage g LEFT JOIN proxy_health h ON h.order_id = g.order_id AND h.vantage <> 'self'
            WHERE g.to_at IS NULL GROUP BY g.order_id, g.from_at
            HAVING coalesce(max(h.tried_at), g.from_at) < ${DateTime.toDate(untried)}
          ) every ORDER BY order_id, rank
        ) e
        WHERE g.order_id = e.order_id AND g.to_at IS NULL
      `),

    /** The outages of an order that lasted after a time, the newest first. */
    ofOrder: (id: OrderId, since: DateTime.Utc, limit: number) =>
      Rows.all(Outage)(sql`
        SELECT * FROM proxy_outage WHERE order_id = ${id} AND (to_at IS NULL OR to_at >= ${DateTime.toDate(since)})
        ORDER BY from_at DESC LIMIT ${limit}
      `)
  }
}

const replacing = (sql: Sql) => {
  const ids = Rows.all(Schema.Struct({ order_id: OrderId }))
  const choice = Rows.first(Schema.Struct({ auto_replace: Schema.Boolean }))
  return {
    /** True when the order is replaced without a request. */
    autoReplace: (id: OrderId) =>
      Effect.map(
        choice(sql`SELECT auto_replace FROM proxy_order WHERE id = ${id}`),
        Option.exists(({ auto_replace }) => auto_replace)
      ),
    setAutoReplace: (id: OrderId, enabled: boolean) =>
      Effect.orDie(sql`UPDATE proxy_order SET auto_replace = ${enabled} WHERE id = ${id}`),

    /** Blocks other claims until the transaction ends, so that all instances together begin no more than the limit. */
    lockReplacements: Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext('proxy_outage'))`),

    /**
     * Claims proxies of these providers that fail since `since` and may be replaced: at most `limit` from `minute` on, each
     * again after `again`, the longest outage first.
     */
    claimReplacements: (
      providers: ReadonlyArray<string>,
      times: Readonly<Record<"again" | "minute" | "now" | "since", DateTime.Utc>>,
      limit: number
    ) =>
      ids(sql`
        UPDATE proxy_outage SET tried_at = ${DateTime.toDate(times.now)} WHERE id IN (
          SELECT g.id FROM proxy_outage g JOIN proxy_order o ON o.id = g.order_id
          WHERE g.to_at IS NULL AND g.from_at <= ${DateTime.toDate(times.since)} AND o.auto_replace
            AND (g.tried_at IS NULL OR g.tried_at <= ${DateTime.toDate(times.again)})
            AND o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${DateTime.toDate(times.now)}
            AND NOT (o.proxy_type = 'mobile' AND o.mode = 'rotating') AND o.provider = ANY (${[...providers]}::text[])
            AND EXISTS (SELECT FROM proxy_health h WHERE h.order_id = g.order_id AND ${failing(sql)})
          ORDER BY g.from_at
          LIMIT greatest(0, ${limit}::int - (
            SELECT count(*)::int FROM proxy_outage WHERE tried_at > ${DateTime.toDate(times.minute)}
          ))
        ) RETURNING order_id
      `)
  }
}

const crediting = (sql: Sql) => {
  const ended = Rows.first(EndedOutage)
  const orders = Rows.one(Order)
  const sum = Rows.one(Schema.Struct({ returned: Schema.BigInt }))
  return {
    /** Locks the oldest outage whose credit is not decided. */
    lockEnded: ended(sql`
      SELECT g.id, g.order_id, o.user_id, a.deleted_at IS NOT NULL AS is_deleted, g.from_at, g.to_at, p.payment_id, p.currency,
        p.paid, p.sandbox, p.starts_at, p.ends_at, p.ended_at
      FROM proxy_outage g JOIN proxy_order o ON o.id = g.order_id JOIN user_account a ON a.id = o.user_id
      LEFT JOIN LATERAL (
        SELECT t.id AS payment_id, t.currency, -t.amount AS paid, t.sandbox_before - t.sandbox_after AS sandbox, r.starts_at,
          r.ends_at, r.ended_at
        FROM revenue_term r JOIN wallet_transaction t ON t.id = r.transaction_id
        WHERE r.order_id = g.order_id AND r.kind IN ('order', 'append', 'restart') AND r.starts_at <= g.from_at
          AND coalesce(r.ended_at, r.ends_at) > g.from_at
        ORDER BY r.starts_at DESC LIMIT 1
      ) p ON true
      WHERE NOT g.settled AND g.to_at IS NOT NULL ORDER BY g.to_at LIMIT 1 FOR UPDATE OF g SKIP LOCKED
    `),

    /** Locks the order as the claim will, because extensions and refunds lock it before the wallet too. */
    lockOrder: (id: OrderId) => orders(sql`SELECT * FROM proxy_order WHERE id = ${id} FOR KEY SHARE`),

    /** What was returned or credited of a payment. Exact while the wallets of its account are locked. */
    returned: (payment_id: string) =>
      Effect.map(
        sum(sql`
          SELECT ((SELECT coalesce(sum(amount), 0) FROM wallet_transaction WHERE refunded_transaction_id = ${payment_id})
            + (SELECT coalesce(sum(amount), 0) FROM warranty_claim WHERE payment_id = ${payment_id}))::bigint AS returned
        `),
        ({ returned }) => returned
      ),

    insertClaim: (claim: Claim) => Effect.orDie(sql`INSERT INTO warranty_claim ${sql.insert({ ...claim })}`),
    settle: (id: OutageId) => Effect.orDie(sql`UPDATE proxy_outage SET settled = true WHERE id = ${id}`)
  }
}

export class OutagesRepo extends Context.Service<OutagesRepo>()("app/orders/OutagesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return { ...course(sql), ...replacing(sql), ...crediting(sql) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
