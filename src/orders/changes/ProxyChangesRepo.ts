import { PgClient } from "@effect/sql-pg"
import { type Array as Arr, Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import { Order, OrderId } from "../Order.ts"
import { ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { QuotedChange } from "./QuotedChange.ts"

const firstOrder = Rows.first(Order)
const firstChange = Rows.first(ProxyChange)
const allChanges = Rows.all(ProxyChange)
const encodeInsert = Schema.encodeEffect(ProxyChange.insert)

const firstQuote = Rows.first(QuotedChange)
const encodeQuotes = Schema.encodeEffect(Schema.NonEmptyArray(QuotedChange))
const quoteColumns = Rows.columnsOf(QuotedChange)

const providerNames = Rows.all(Schema.Struct({ provider: Schema.String }))
const readKnown = Rows.all(Schema.Struct({ id: OrderId, pending: Schema.Boolean, added: Schema.Finite }))
const firstDays = Rows.first(Schema.Struct({ days: Schema.Int }))
const firstSum = Rows.first(Schema.Struct({ added: Schema.Finite }))

/** The cycle of an order after a change. */
interface ChangedOrder {
  readonly cycle_started_at: DateTime.Utc
  readonly expiring_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

const orderStatements = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => ({
  /** Locks the order until the transaction ends. */
  lockOrder: (id: OrderId) => sql`SELECT * FROM proxy_order WHERE id = ${id} FOR UPDATE`.pipe(firstOrder),

  /**
   * Records an extension: the order is `active` again, or stays `expiring` when its new end is near, and auto-renew is
   * due only then. An ended proxy stays ended.
   */
  extendOrder: (change: ProxyChange, changed: ChangedOrder, now: DateTime.Utc) => {
    const expiringAt = DateTime.toDate(changed.expiring_at)
    const isNear = sql`${expiringAt}::timestamptz <= ${DateTime.toDate(now)}::timestamptz AND proxy_status = 'expiring'`
    const extended = sql`
      UPDATE proxy_order SET ${sql.update({
        cycle_started_at: DateTime.toDate(changed.cycle_started_at),
        expiring_at: expiringAt,
        expires_at: DateTime.toDate(changed.expires_at),
        bandwidth_gb: change.bandwidth_gb,
        renewal_failed_at: null,
        announced_total: null,
        announced_currency: null,
        renews_from: null,
        updated_at: DateTime.toDate(now),
        ...(change.kind === "restart" && {
          period_days: change.period_days,
          period_months: change.period_months,
          tarification_index: change.tarification_index
        })
      })},
        proxy_status = CASE WHEN ${isNear} THEN 'expiring' ELSE 'active' END,
        renew_at = CASE WHEN ${isNear} AND auto_renew THEN ${DateTime.toDate(now)}::timestamptz END
      WHERE id = ${change.order_id} AND proxy_status IN ('active', 'expiring')
    `
    return Effect.orDie(Effect.andThen(extended, wake("proxy_status", [change.order_id])))
  },

  /**
   * Stores the access to a proxy that was replaced. The next sync reads what else has changed. What tries said about the proxy is
   * over, and the next one is due; so is its outage.
   */
  replaceAccess: (id: OrderId, proxy: ProviderProxy, now: DateTime.Utc) => {
    const at = DateTime.toDate(now)
    const access = Struct.pick(proxy, ["host", "port", "username", "password", "whitelisted_ips"])
    return Effect.orDie(sql`
      WITH tried AS (
        UPDATE proxy_health SET tried_at = NULL, worked_at = NULL, failures = 0, failing_since = NULL, error = NULL,
          failed_at = NULL, probe_at = CASE WHEN probe_at IS NOT NULL THEN ${at}::timestamptz END
        WHERE order_id = ${id}
      ), outage AS (
        UPDATE proxy_outage SET to_at = greatest(from_at, ${at}), ended_by = 'replaced'
        WHERE order_id = ${id} AND to_at IS NULL
      )
      UPDATE proxy_order SET ${sql.update({ ...access, sync_at: at, updated_at: at })}
      WHERE id = ${id} AND proxy_status IN ('active', 'expiring')
    `)
  },

  raiseLimit: (change: ProxyChange, now: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE proxy_order SET bandwidth_gb = ${change.bandwidth_gb}, updated_at = ${DateTime.toDate(now)}
      WHERE id = ${change.order_id} AND proxy_status IN ('active', 'expiring')
    `)
})

const claims = (sql: PgClient.PgClient) => ({
  /** Providers with pending changes that no process holds. */
  dueProviders: (now: DateTime.Utc) =>
    sql`
      SELECT DISTINCT o.provider FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
      WHERE c.status = 'pending' AND c.settle_at <= ${DateTime.toDate(now)}
    `.pipe(
      providerNames,
      Effect.map((rows) => rows.map(({ provider }) => provider))
    ),

  /** Claims a provider's pending changes that no process holds, until `lease`. */
  claim: (provider: string, now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_change SET settle_at = ${DateTime.toDate(lease)}
      WHERE id IN (
        SELECT c.id FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
        WHERE o.provider = ${provider} AND c.status = 'pending' AND c.settle_at <= ${DateTime.toDate(now)}
        ORDER BY c.settle_at LIMIT ${limit} FOR UPDATE OF c SKIP LOCKED
      )
      RETURNING *
    `.pipe(allChanges)
})

const quotes = (sql: PgClient.PgClient) => ({
  /** Stores quotes, each in place of the last one of the same change. */
  keepQuotes: (quoted: Arr.NonEmptyReadonlyArray<QuotedChange>) =>
    encodeQuotes(quoted).pipe(
      Effect.flatMap(
        (rows) => sql`
          INSERT INTO quoted_change ${sql.insert(rows)}
          ON CONFLICT (order_id, kind, amount)
          DO UPDATE SET (${sql.literal(quoteColumns)}) = (${sql.literal(quoteColumns.replaceAll(/\w+/g, "excluded.$&"))})
        `
      ),
      Effect.orDie
    ),

  /** The quote of a change, if it still holds. */
  findQuote: ({ amount, kind, order_id }: Pick<QuotedChange, "amount" | "kind" | "order_id">, now: DateTime.Utc) =>
    firstQuote(sql`
      SELECT * FROM quoted_change
      WHERE order_id = ${order_id} AND kind = ${kind} AND amount = ${amount} AND expires_at > ${DateTime.toDate(now)}
    `)
})

/** The changes that staff gave, and the one that is pending. */
const given = (sql: PgClient.PgClient) => ({
  pendingOf: (id: OrderId) =>
    sql`SELECT * FROM proxy_change WHERE order_id = ${id} AND status = 'pending'`.pipe(firstChange),

  /** The days that staff have given to an order since a time. */
  givenDays: (id: OrderId, since: DateTime.Utc) =>
    sql`
      SELECT coalesce(sum(period_days), 0)::int AS days FROM proxy_change
      WHERE order_id = ${id} AND origin = 'staff' AND status <> 'refused' AND created_at > ${DateTime.toDate(since)}
    `.pipe(
      firstDays,
      Effect.map((row) => Option.match(row, { onNone: () => 0, onSome: ({ days }) => days }))
    )
})

/** Statements about changes and ends that wait for a provider. */
const pending = (sql: PgClient.PgClient) => ({
  /** True while a change of the proxy waits for the provider, or staff end it. */
  hasPending: (id: OrderId) =>
    sql`
      SELECT 1 AS one FROM proxy_change WHERE order_id = ${id} AND status = 'pending'
      UNION ALL SELECT 1 FROM order_release WHERE order_id = ${id}
    `.pipe(Rows.any),

  /** The orders with a pending change or end, and the traffic in GB that was added to the running cycle of each order. */
  knownOf: (ids: ReadonlyArray<OrderId>) =>
    sql`
      SELECT o.id, coalesce(bool_or(c.status = 'pending'), false)
          OR EXISTS (SELECT FROM order_release r WHERE r.order_id = o.id) AS pending,
        coalesce(sum(c.added_gb) FILTER (WHERE c.status = 'applied' AND c.created_at >= o.cycle_started_at), 0) AS added
      FROM proxy_order o LEFT JOIN proxy_change c ON c.order_id = o.id
      WHERE o.id = ANY (${[...ids]}::uuid[]) GROUP BY o.id
    `.pipe(
      readKnown,
      Effect.map((rows) => ({
        pending: new Set(rows.filter(({ pending }) => pending).map(({ id }) => id)),
        added: new Map(rows.map(({ added, id }) => [id, added]))
      }))
    )
})

export class ProxyChangesRepo extends Context.Service<ProxyChangesRepo>()("app/orders/ProxyChangesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const find = (id: ProxyChangeId) => sql`SELECT * FROM proxy_change WHERE id = ${id}`.pipe(firstChange)

    return {
      ...orderStatements(sql, yield* Wakes),
      ...claims(sql),
      ...quotes(sql),
      ...given(sql),
      ...pending(sql),

      find,

      /** True when the renewal of the cycle that ends at `endsAt` was paid for and made. */
      isRenewed: (id: OrderId, endsAt: DateTime.Utc) =>
        sql`
          SELECT FROM proxy_change WHERE order_id = ${id} AND previous_expires_at = ${DateTime.toDate(endsAt)}
            AND origin = 'auto_renew' AND status = 'applied'
        `.pipe(Rows.any),

      /** Traffic in GB that the customer added to the running cycle. */
      addedGb: (id: OrderId, cycleStartedAt: DateTime.Utc) =>
        sql`
          SELECT coalesce(sum(added_gb), 0) AS added FROM proxy_change
          WHERE order_id = ${id} AND status = 'applied' AND created_at >= ${DateTime.toDate(cycleStartedAt)}
        `.pipe(
          firstSum,
          Effect.map((row) => Option.match(row, { onNone: () => 0, onSome: ({ added }) => added }))
        ),

      insert: (change: typeof ProxyChange.insert.Type) =>
        encodeInsert(change).pipe(
          Effect.flatMap((row) => sql`INSERT INTO proxy_change ${sql.insert(row)}`),
          Effect.orDie
        ),

      /** Records the start of the call; false when an earlier call is on record. */
      begin: (id: ProxyChangeId, now: DateTime.Utc, lease: DateTime.Utc) =>
        sql`
          UPDATE proxy_change SET attempted_at = ${DateTime.toDate(now)}, settle_at = ${DateTime.toDate(lease)}
          WHERE id = ${id} AND status = 'pending' AND attempted_at IS NULL RETURNING id
        `.pipe(Rows.any),

      /**
       * Removes the call from the record, because the provider certainly did nothing; the next call may start at
       * `again`.
       */
      notMade: (id: ProxyChangeId, again: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_change SET attempted_at = NULL, settle_at = ${DateTime.toDate(again)}
          WHERE id = ${id} AND status = 'pending'
        `),

      /** Keeps the call on record, because its outcome is unknown, for a look-up at `again`. */
      postpone: (id: ProxyChangeId, again: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_change SET settle_at = ${DateTime.toDate(again)} WHERE id = ${id} AND status = 'pending'
        `),

      /** Ends a pending change; false when it has ended before. */
      close: (
        id: ProxyChangeId,
        outcome: Pick<ProxyChange, "status" | "refusal" | "detail" | "cost_usd">,
        now: DateTime.Utc
      ) =>
        sql`
          UPDATE proxy_change SET ${sql.update({ ...outcome, updated_at: DateTime.toDate(now) })}
          WHERE id = ${id} AND status = 'pending' RETURNING id
        `.pipe(Rows.any)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
