import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Order, type OrderId } from "../Order.ts"
import { ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"

const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Order))
const decodeChanges = Schema.decodeUnknownEffect(Schema.Array(ProxyChange))
const encodeInsert = Schema.encodeEffect(ProxyChange.insert)

/** How many rows a statement answered: whether it did what it was to do. */
const some = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

/** What a change makes of the order it was bought for. */
interface ChangedOrder {
  readonly cycle_started_at: DateTime.Utc
  readonly expiring_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

const orderStatements = (sql: PgClient.PgClient) => ({
  /** The order, locked until the transaction ends. */
  lockOrder: (id: OrderId) =>
    sql`SELECT * FROM proxy_order WHERE id = ${id} FOR UPDATE`.pipe(
      Effect.flatMap(decodeOrders),
      Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
      Effect.orDie
    ),

  /**
   * The order after an extension: `active` again when its end is far enough, and auto-renew has nothing to do any
   * more. A proxy that was given up meanwhile stays so.
   */
  extendOrder: (change: ProxyChange, changed: ChangedOrder, now: DateTime.Utc) => {
    const expiringAt = DateTime.toDate(changed.expiring_at)
    const isNear = sql`${expiringAt}::timestamptz <= ${DateTime.toDate(now)}::timestamptz AND proxy_status = 'expiring'`
    return Effect.orDie(sql`
      UPDATE proxy_order SET ${sql.update({
        cycle_started_at: DateTime.toDate(changed.cycle_started_at),
        expiring_at: expiringAt,
        expires_at: DateTime.toDate(changed.expires_at),
        bandwidth_gb: change.bandwidth_gb,
        renewal_failed_at: null,
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
    `)
  },

  raiseLimit: (change: ProxyChange, now: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE proxy_order SET bandwidth_gb = ${change.bandwidth_gb}, updated_at = ${DateTime.toDate(now)}
      WHERE id = ${change.order_id} AND proxy_status IN ('active', 'expiring')
    `)
})

const claims = (sql: PgClient.PgClient) => ({
  /** The providers of pending changes that nobody is at work on. */
  dueProviders: (now: DateTime.Utc) =>
    sql<{ provider: string }>`
      SELECT DISTINCT o.provider FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
      WHERE c.status = 'pending' AND c.settle_at <= ${DateTime.toDate(now)}
    `.pipe(
      Effect.map((rows) => rows.map(({ provider }) => provider)),
      Effect.orDie
    ),

  /** Takes over a provider's pending changes that nobody is at work on, until `lease`. */
  claim: (provider: string, now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_change SET settle_at = ${DateTime.toDate(lease)}
      WHERE id IN (
        SELECT c.id FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
        WHERE o.provider = ${provider} AND c.status = 'pending' AND c.settle_at <= ${DateTime.toDate(now)}
        ORDER BY c.settle_at LIMIT ${limit} FOR UPDATE OF c SKIP LOCKED
      )
      RETURNING *
    `.pipe(Effect.flatMap(decodeChanges), Effect.orDie)
})

export class ProxyChangesRepo extends Context.Service<ProxyChangesRepo>()("app/orders/ProxyChangesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const find = (id: ProxyChangeId) =>
      sql`SELECT * FROM proxy_change WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeChanges),
        Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
        Effect.orDie
      )

    return {
      ...orderStatements(sql),
      ...claims(sql),

      find,

      hasPending: (id: OrderId) =>
        sql`SELECT FROM proxy_change WHERE order_id = ${id} AND status = 'pending'`.pipe(some, Effect.orDie),

      /** Whether the renewal of the cycle that ends then has been paid for and made. */
      isRenewed: (id: OrderId, endsAt: DateTime.Utc) =>
        sql`
          SELECT FROM proxy_change WHERE order_id = ${id} AND previous_expires_at = ${DateTime.toDate(endsAt)}
            AND origin = 'auto_renew' AND status = 'applied'
        `.pipe(some, Effect.orDie),

      /** Traffic in GB that was bought for the running cycle, on top of what belonged to it. */
      addedGb: (id: OrderId, cycleStartedAt: DateTime.Utc) =>
        sql<{ added: number }>`
          SELECT coalesce(sum(added_gb), 0) AS added FROM proxy_change
          WHERE order_id = ${id} AND status = 'applied' AND created_at >= ${DateTime.toDate(cycleStartedAt)}
        `.pipe(
          Effect.map(([row]) => row?.added ?? 0),
          Effect.orDie
        ),

      insert: (change: typeof ProxyChange.insert.Type) =>
        encodeInsert(change).pipe(
          Effect.flatMap((row) => sql`INSERT INTO proxy_change ${sql.insert(row)}`),
          Effect.orDie
        ),

      /** Puts it on record that the provider is asked; false when it was asked before. */
      begin: (id: ProxyChangeId, now: DateTime.Utc, lease: DateTime.Utc) =>
        sql`
          UPDATE proxy_change SET attempted_at = ${DateTime.toDate(now)}, settle_at = ${DateTime.toDate(lease)}
          WHERE id = ${id} AND status = 'pending' AND attempted_at IS NULL RETURNING id
        `.pipe(some, Effect.orDie),

      /** The provider certainly did nothing: it may be asked again at `again`. */
      notMade: (id: ProxyChangeId, again: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_change SET attempted_at = NULL, settle_at = ${DateTime.toDate(again)}
          WHERE id = ${id} AND status = 'pending'
        `),

      /** Nobody knows what the provider did: it is looked up at `again`. */
      postpone: (id: ProxyChangeId, again: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_change SET settle_at = ${DateTime.toDate(again)} WHERE id = ${id} AND status = 'pending'
        `),

      /** Ends a pending change; false when somebody else has. */
      close: (id: ProxyChangeId, outcome: Pick<ProxyChange, "status" | "refusal" | "detail">, now: DateTime.Utc) =>
        sql`
          UPDATE proxy_change SET ${sql.update({ ...outcome, updated_at: DateTime.toDate(now) })}
          WHERE id = ${id} AND status = 'pending' RETURNING id
        `.pipe(some, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
