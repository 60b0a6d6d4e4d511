import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
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
  /** When whoever finds it may end it. */
  readonly settle_at: DateTime.Utc
}

const rows = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>) => Effect.orDie(Effect.flatMap(query, decode))
}

const one = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const read = rows(schema)
  return <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    Effect.map(read(query), (found) => Option.fromUndefinedOr(found[0]))
}

const checks = rows(IpCheck)
const check = one(IpCheck)
const pending = one(Pending)
const state = one(State)
const freeChecks = (query: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.flatMap(one(FreeChecks)(query), (found) => Effect.orDie(Effect.fromOption(found)))

const count = <E>(query: Effect.Effect<ReadonlyArray<{ readonly total: number }>, E>) =>
  query.pipe(
    Effect.map(([row]) => row?.total ?? 0),
    Effect.orDie
  )

/** Says whether vendors of the sandbox took part in a check; no other vendor's id begins with `sandbox_`. */
const isPretended = (sql: SqlClient.SqlClient) =>
  sql`coalesce(jsonb_path_exists(vendors, '$[*].vendor ? (@ starts with "sandbox_")'), false)`

/** An address, and the checks that may answer for it: those of the sandbox only while its vendors are asked. */
interface Reuse {
  readonly ip: string
  readonly since: Date
  readonly pretends: boolean
}

/** Keeps the last completed check that answers for an address. */
export const reusable = (sql: SqlClient.SqlClient, { ip, pretends, since }: Reuse) => sql`
  ip = ${ip} AND status = 'completed' AND completed_at > ${since}
    ${pretends ? sql`` : sql`AND NOT ${isPretended(sql)}`}
  ORDER BY completed_at DESC LIMIT 1
`

/** Delivered orders that sandbox money paid, wholly or in part. */
const countPretended = (sql: SqlClient.SqlClient, user: UserId) => sql`
  SELECT count(*)::int FROM wallet_transaction t JOIN proxy_order o ON o.id = t.order_id
  WHERE t.user_id = ${user} AND t.transaction_type = 'payment' AND t.sandbox_before > t.sandbox_after
    AND t.reference = o.id::text AND o.proxy_status IN ('active', 'expiring', 'expired')
`

/** Before the vendors are asked. */
const reservation = (sql: PgClient.PgClient) => ({
  /** An account's free checks are counted one at a time. */
  lockOwner: (user: UserId) => Effect.orDie(sql`SELECT FROM user_account WHERE id = ${user} FOR NO KEY UPDATE`),

  /**
   * Free checks that were spent, or are about to be, and delivered orders that grant none: while the sandbox is off, what
   * its money paid, and what its vendors answered, counts for nothing.
   */
  freeChecks: (user: UserId, isSandboxOn: boolean) =>
    freeChecks(sql`
      SELECT count(*)::int AS used, ${isSandboxOn ? sql`0` : sql`(${countPretended(sql, user)})`} AS ungranted
      FROM ip_check WHERE user_id = ${user} AND is_free AND status <> 'failed'
        ${isSandboxOn ? sql`` : sql`AND NOT ${isPretended(sql)}`}
    `),

  /** False when the address is being checked: one that is being settled is waited for. */
  insert: ({ created_at, settle_at, ...row }: NewCheck) =>
    sql`
      INSERT INTO ip_check ${sql.insert({
        ...row,
        status: "pending",
        created_at: DateTime.toDate(created_at),
        settle_at: DateTime.toDate(settle_at)
      })}
      ON CONFLICT (ip) WHERE status = 'pending' DO NOTHING
      RETURNING id
    `.pipe(
      Effect.map((inserted) => inserted.length === 1),
      Effect.orDie
    ),

  /** The check of an address that is under way. */
  pending: (ip: string) => pending(sql`SELECT id, settle_at FROM ip_check WHERE ip = ${ip} AND status = 'pending'`),

  state: (id: IpCheckId) => state(sql`SELECT status, settle_at FROM ip_check WHERE id = ${id}`)
})

/** What has been completed. */
const reading = (sql: PgClient.PgClient) => ({
  find: (id: IpCheckId) => check(sql`SELECT * FROM ip_check WHERE id = ${id} AND status = 'completed'`),

  /** The last one of an address, of anybody, that was completed after `since`; one of the sandbox only if wanted. */
  recent: (ip: string, since: DateTime.Utc, pretends: boolean) =>
    check(sql`SELECT * FROM ip_check WHERE ${reusable(sql, { ip, since: DateTime.toDate(since), pretends })}`),

  list: (user: UserId, { limit, offset }: Page) =>
    checks(sql`
      SELECT * FROM ip_check WHERE user_id = ${user} AND status = 'completed'
      ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
    `),

  count: (user: UserId) =>
    count(sql`SELECT count(*)::int AS total FROM ip_check WHERE user_id = ${user} AND status = 'completed'`)
})

export class IpChecksRepo extends Context.Service<IpChecksRepo>()("app/ip-check/IpChecksRepo", {
  make: Effect.map(PgClient.PgClient, (sql) => ({ ...reservation(sql), ...reading(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
