import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { IpCheck, IpCheckId } from "./IpCheck.ts"

const Pending = Schema.Struct({ id: IpCheckId, settle_at: Schema.DateTimeUtcFromDate })

const State = Schema.Struct({
  status: Schema.Literals(["pending", "completed", "failed"]),
  settle_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

const FreeChecks = Schema.Struct({ used: Schema.Int, ungranted: Schema.Int })

interface NewCheck {
  readonly id: IpCheckId
  readonly user_id: UserId
  readonly ip: string
  readonly is_free: boolean
  readonly amount: bigint
  readonly created_at: DateTime.Utc
  /** The end of the lease. Any request or job may end the check after it. */
  readonly settle_at: DateTime.Utc
}

const checks = Rows.all(IpCheck)
const check = Rows.first(IpCheck)
const pending = Rows.first(Pending)
const state = Rows.first(State)
const freeChecks = Rows.first(FreeChecks)
const total = Rows.first(Schema.Struct({ total: Schema.Int }))

/** True when vendors of the sandbox took part in a check. Only their ids begin with `sandbox_`. */
const isSandbox = (sql: SqlClient.SqlClient) =>
  sql`coalesce(jsonb_path_exists(vendors, '$[*].vendor ? (@ starts with "sandbox_")'), false)`

/** An address, and the checks that may be reused for it. Checks of the sandbox count only while its vendors are asked. */
interface Reuse {
  readonly ip: string
  readonly since: Date
  readonly withSandbox: boolean
}

/** Selects the newest completed check that may be reused for an address. */
export const reusable = (sql: SqlClient.SqlClient, { ip, since, withSandbox }: Reuse) => sql`
  ip = ${ip} AND status = 'completed' AND completed_at > ${since}
    ${withSandbox ? sql`` : sql`AND NOT ${isSandbox(sql)}`}
  ORDER BY completed_at DESC LIMIT 1
`

/** Counts the delivered orders that sandbox money paid, in whole or in part. */
const countPretended = (sql: SqlClient.SqlClient, user: UserId) => sql`
  SELECT count(*)::int FROM wallet_transaction t JOIN proxy_order o ON o.id = t.order_id
  WHERE t.user_id = ${user} AND t.transaction_type = 'payment' AND t.sandbox_before > t.sandbox_after
    AND t.reference = o.id::text AND o.proxy_status IN ('active', 'expiring', 'expired')
`

/** The statements that run before the vendors are asked. */
const reservation = (sql: PgClient.PgClient) => ({
  /** Locks the account, so that its free checks are counted one request at a time. */
  lockOwner: (user: UserId) => Effect.orDie(sql`SELECT FROM user_account WHERE id = ${user} FOR NO KEY UPDATE`),

  /**
   * Counts `used`, the free checks that are completed or pending, and `ungranted`, the delivered orders that grant no free
   * check. While the sandbox is off, orders that its money paid and checks that its vendors answered do not count.
   */
  freeChecks: (user: UserId, isSandboxOn: boolean) =>
    freeChecks(sql`
      SELECT count(*)::int AS used, ${isSandboxOn ? sql`0` : sql`(${countPretended(sql, user)})`} AS ungranted
      FROM ip_check WHERE user_id = ${user} AND is_free AND status <> 'failed'
        ${isSandboxOn ? sql`` : sql`AND NOT ${isSandbox(sql)}`}
    `).pipe(Effect.map(Option.getOrElse(() => ({ used: 0, ungranted: 0 })))),

  /** Inserts a pending check. False when the address already has one. Waits while a settlement of that one commits. */
  insert: ({ created_at, settle_at, ...row }: NewCheck) =>
    Rows.any(sql`
      INSERT INTO ip_check ${sql.insert({
        ...row,
        status: "pending",
        created_at: DateTime.toDate(created_at),
        settle_at: DateTime.toDate(settle_at)
      })}
      ON CONFLICT (ip) WHERE status = 'pending' DO NOTHING
      RETURNING id
    `),

  /** Reads the pending check of an address. */
  pending: (ip: string) => pending(sql`SELECT id, settle_at FROM ip_check WHERE ip = ${ip} AND status = 'pending'`),

  state: (id: IpCheckId) => state(sql`SELECT status, settle_at FROM ip_check WHERE id = ${id}`)
})

/** The statements that read completed checks. */
const reading = (sql: PgClient.PgClient) => ({
  find: (id: IpCheckId) => check(sql`SELECT * FROM ip_check WHERE id = ${id} AND status = 'completed'`),

  /** Reads the newest reusable check of an address, of any account. `withSandbox` includes checks of the sandbox. */
  recent: (ip: string, since: DateTime.Utc, withSandbox: boolean) =>
    check(sql`SELECT * FROM ip_check WHERE ${reusable(sql, { ip, since: DateTime.toDate(since), withSandbox })}`),

  list: (user: UserId, { limit, offset }: Page) =>
    checks(sql`
      SELECT * FROM ip_check WHERE user_id = ${user} AND status = 'completed'
      ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
    `),

  count: (user: UserId) =>
    total(sql`SELECT count(*)::int AS total FROM ip_check WHERE user_id = ${user} AND status = 'completed'`).pipe(
      Effect.map(Option.match({ onNone: () => 0, onSome: ({ total }) => total }))
    )
})

export class IpChecksRepo extends Context.Service<IpChecksRepo>()("app/ip-check/IpChecksRepo", {
  make: Effect.map(PgClient.PgClient, (sql) => ({ ...reservation(sql), ...reading(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
