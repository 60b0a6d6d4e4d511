import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { Order, OrderId } from "../Order.ts"
import { ShownOrder } from "../OrderView.ts"

/** A paid order that nobody is at work on. */
const Unprovisioned = Schema.Struct({
  ...Order.fields,
  /** When the attempt began whose outcome is unknown; null when none is. */
  attempt_started_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  is_owner_gone: Schema.Boolean
})
export type Unprovisioned = typeof Unprovisioned.Type

/** An attempt that was given up: a proxy may yet turn up for it. */
const AbandonedAttempt = Schema.Struct({ order_id: OrderId, provider: Schema.String })

/** The part of a proxy's life that starts with its provisioning. */
interface Cycle {
  readonly cycle_started_at: DateTime.Utc
  readonly expiring_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** When a provider is first asked how the proxy that it has just handed out is. */
const firstSync = { hours: 1 }

const decodeShown = Schema.decodeUnknownEffect(Schema.Array(ShownOrder))
const decodeUnprovisioned = Schema.decodeUnknownEffect(Schema.Array(Unprovisioned))
const decodeAbandoned = Schema.decodeUnknownEffect(Schema.Array(AbandonedAttempt))

/** How many rows a statement answered: whether it did what it was to do. */
const some = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

/** A paid order as long as it is held: nobody else has taken it up since it was read. */
const held = (sql: PgClient.PgClient, { id, provision_at }: Order) =>
  sql`id = ${id} AND status = 'paid' AND provision_at = ${DateTime.toDate(provision_at)}`

/** Closes the open attempt of the orders in `mine` with what became of it. */
const closing = (sql: PgClient.PgClient, outcome: string, detail: string | null, now: Date) => sql`
  UPDATE provisioning_attempt a SET outcome = ${outcome}, detail = ${detail}, finished_at = ${now}, look_at = ${now}
  FROM mine WHERE a.order_id = mine.id AND a.outcome IS NULL
`

const attempts = (sql: PgClient.PgClient) => ({
  /**
   * Takes a paid order up for one call of its provider and puts the attempt on record, one that was on record without a
   * call as begun at `now`; false when somebody else has taken the order up since `order` was read.
   */
  begin: (order: Order, now: DateTime.Utc, lease: DateTime.Utc) =>
    sql`
      WITH mine AS (
        UPDATE proxy_order SET provision_at = ${DateTime.toDate(lease)} WHERE ${held(sql, order)} RETURNING id, provider
      )
      INSERT INTO provisioning_attempt (id, order_id, provider, started_at)
      SELECT ${SecureRandom.uuidV7Unsafe()}::uuid, id, provider, ${DateTime.toDate(now)}::timestamptz FROM mine
      ON CONFLICT (order_id) WHERE outcome IS NULL DO UPDATE SET started_at = excluded.started_at
      RETURNING id
    `.pipe(some, Effect.orDie),

  /** The providers of paid orders that nobody is at work on. */
  dueProviders: (now: DateTime.Utc) =>
    sql<{ provider: string }>`
      SELECT DISTINCT provider FROM proxy_order WHERE status = 'paid' AND provision_at <= ${DateTime.toDate(now)}
    `.pipe(
      Effect.map((rows) => rows.map(({ provider }) => provider)),
      Effect.orDie
    ),

  /** Takes over a provider's paid orders that nobody is at work on, until `lease`. */
  claim: (provider: string, now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_order o SET provision_at = ${DateTime.toDate(lease)}
      FROM (
        SELECT id FROM proxy_order
        WHERE provider = ${provider} AND status = 'paid' AND provision_at <= ${DateTime.toDate(now)}
        ORDER BY provision_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) due
      WHERE o.id = due.id
      RETURNING o.*, (
        SELECT started_at FROM provisioning_attempt a WHERE a.order_id = o.id AND a.outcome IS NULL
      ) AS attempt_started_at, EXISTS (
        SELECT FROM user_account u WHERE u.id = o.user_id AND u.deleted_at IS NOT NULL
      ) AS is_owner_gone
    `.pipe(Effect.flatMap(decodeUnprovisioned), Effect.orDie),

  /** Abandoned attempts that are due to be looked up once more; they are due again at `again`. */
  claimAbandoned: (now: DateTime.Utc, again: DateTime.Utc, limit: number) =>
    sql`
      UPDATE provisioning_attempt SET look_at = ${DateTime.toDate(again)}
      WHERE id IN (
        SELECT id FROM provisioning_attempt WHERE outcome = 'abandoned' AND look_at <= ${DateTime.toDate(now)}
        ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      RETURNING order_id, provider
    `.pipe(Effect.flatMap(decodeAbandoned), Effect.orDie),

  /** No proxy will turn up any more for an abandoned attempt. */
  settleAbandoned: (id: OrderId, detail: string) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused', detail = ${detail}
      WHERE order_id = ${id} AND outcome = 'abandoned'
    `),

  /** Abandoned attempts from before `since` are looked up no more. */
  forgetAbandoned: (since: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE provisioning_attempt SET outcome = 'refused'
      WHERE outcome = 'abandoned' AND started_at < ${DateTime.toDate(since)}
    `)
})

export class ProvisioningRepo extends Context.Service<ProvisioningRepo>()("app/orders/ProvisioningRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const shown = sql.csv(Object.keys(ShownOrder.fields).map((column) => sql`${sql(column)}`))

    return {
      ...attempts(sql),

      /**
       * `paid` to `provisioned`, whoever holds the order, which is answered as it is then; undefined when it has
       * meanwhile gone another way, or the proxy has an order already.
       */
      provisioned: (id: OrderId, proxy: ProviderProxy, cycle: Cycle, now: DateTime.Utc) =>
        sql`
          WITH mine AS (
            UPDATE proxy_order SET ${sql.update({
              status: "provisioned",
              proxy_status: "active",
              provider_proxy_id: proxy.provider_proxy_id,
              host: proxy.host,
              port: proxy.port,
              username: proxy.username,
              password: proxy.password,
              whitelisted_ips: proxy.whitelisted_ips,
              cycle_started_at: DateTime.toDate(cycle.cycle_started_at),
              expiring_at: DateTime.toDate(cycle.expiring_at),
              expires_at: DateTime.toDate(cycle.expires_at),
              sync_at: DateTime.toDate(DateTime.add(now, firstSync)),
              updated_at: DateTime.toDate(now)
            })}
            WHERE id = ${id} AND status = 'paid' AND NOT EXISTS (
              SELECT FROM proxy_order other
              WHERE other.provider = proxy_order.provider AND other.provider_proxy_id = ${proxy.provider_proxy_id}
            )
            RETURNING *
          ), attempt AS (${closing(sql, "provisioned", null, DateTime.toDate(now))})
          SELECT ${shown} FROM mine
        `.pipe(
          Effect.flatMap(decodeShown),
          Effect.map(([order]) => order),
          Effect.orDie
        ),

      /** The order that a provider's proxy was handed out to, if any. */
      holderOf: (provider: string, provider_proxy_id: string) =>
        sql<{ id: string }>`
          SELECT id FROM proxy_order WHERE provider = ${provider} AND provider_proxy_id = ${provider_proxy_id}
        `.pipe(
          Effect.map(([row]) => row?.id),
          Effect.orDie
        ),

      /** `paid` to `provisioning_failed`; false when the order is no longer held. */
      failed: (order: Order, outcome: "refused" | "abandoned", reason: string, now: DateTime.Utc) =>
        sql`
          WITH mine AS (
            UPDATE proxy_order SET status = 'provisioning_failed', updated_at = ${DateTime.toDate(now)}
            WHERE ${held(sql, order)}
            RETURNING id
          ), attempt AS (${closing(sql, outcome, reason, DateTime.toDate(now))})
          SELECT id FROM mine
        `.pipe(some, Effect.orDie),

      refunded: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET status = 'refunded', proxy_status = 'cancelled', updated_at = ${DateTime.toDate(now)}
          WHERE id = ${id} AND status = 'provisioning_failed'
        `),

      /** The provider certainly did nothing: the next attempt may begin at `again`. */
      notExecuted: (order: Order, reason: string, now: DateTime.Utc, again: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH mine AS (
            UPDATE proxy_order SET provision_at = ${DateTime.toDate(again)} WHERE ${held(sql, order)} RETURNING id
          )
          ${closing(sql, "not_executed", reason, DateTime.toDate(now))}
        `),

      /** Nobody knows what the provider did: the attempt stays open and is looked up at `again`. */
      postpone: (order: Order, again: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE proxy_order SET provision_at = ${DateTime.toDate(again)} WHERE ${held(sql, order)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
