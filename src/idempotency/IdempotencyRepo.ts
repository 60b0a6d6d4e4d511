import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, type Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Claim, type ClaimingParts } from "./Claim.ts"

/** Identifies a request: the account, the operation and the client's key. */
export interface Scope {
  readonly user_id: UserId
  readonly operation: string
  readonly key: string
}

/** A claim that a request makes. */
type NewClaim = Scope & Omit<Claim, "answer">

/**
 * Builds the parts of a statement that claims keys, each of another account. All such statements claim in the order of
 * the accounts, so two of them cause no deadlock.
 */
const claiming =
  (sql: PgClient.PgClient) =>
  (claims: ReadonlyArray<NewClaim>): ClaimingParts => ({
    wanted: sql`
    wanted AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(claims)}::jsonb) AS k (
        user_id uuid, operation text, key text, request_hash text, reference jsonb, busy_until timestamptz,
        expires_at timestamptz
      )
    )`,
    earlier: sql`
    earlier AS (
      SELECT c.user_id, c.request_hash, c.reference, c.answer, c.busy_until, c.expires_at
      FROM wanted k JOIN idempotency_key c
        ON c.user_id = k.user_id AND c.operation = k.operation AND c.key = k.key
    )`,
    claimed: (when) => sql`
    claimed AS (
      INSERT INTO idempotency_key (user_id, operation, key, request_hash, reference, busy_until, expires_at)
      SELECT k.user_id, k.operation, k.key, k.request_hash, k.reference, k.busy_until, k.expires_at
      FROM wanted k WHERE ${when} ORDER BY k.user_id
      ON CONFLICT DO NOTHING
      RETURNING user_id
    )`
  })

export class IdempotencyRepo extends Context.Service<IdempotencyRepo>()("app/idempotency/IdempotencyRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const at = ({ key, operation, user_id }: Scope) =>
      sql`user_id = ${user_id} AND operation = ${operation} AND key = ${key}`
    /** The claim of one charge, and not a later claim of the same key. */
    const of = (scope: Scope, reference: Schema.Json) => sql`${at(scope)} AND reference = ${sql.json(reference)}`
    const columns = sql`request_hash, reference, answer, busy_until, expires_at`

    const first = Rows.first(Claim, Rows.unchecked)

    const reading = (scope: Scope) => sql`SELECT ${columns} FROM idempotency_key WHERE ${at(scope)}`

    /**
     * Builds a statement, or a part of one, that stores answers of charges. `given` has the columns `user_id`, `operation`,
     * `key`, `reference` and `answer`. Returns a row for each existing claim. The row has an `answer` only if a different one
     * was stored first.
     */
    const keeping = (given: StatementPart) =>
      sql<{ answer: Schema.Json | null }>`
        UPDATE idempotency_key AS claim SET answer = coalesce(claim.answer, given.answer)
        FROM ${given} AS given
        WHERE claim.user_id = given.user_id AND claim.operation = given.operation AND claim.key = given.key
          AND claim.reference = given.reference
        RETURNING claim.user_id, claim.reference, nullif(claim.answer, given.answer) AS answer
      `

    return {
      find: (scope: Scope) => first(reading(scope)),

      claiming: claiming(sql),

      /** True when it claims the key. It waits for another claim of the key that is not committed yet. */
      claim: (claim: NewClaim) => {
        const { claimed, wanted } = claiming(sql)([claim])
        return Rows.any(sql`WITH ${wanted}, ${claimed(sql`true`)} SELECT user_id FROM claimed`)
      },

      /** True when the caller has taken over the claim of a process that died. */
      takeOver: (scope: Scope, now: Date, busyUntil: Date) =>
        sql`
          UPDATE idempotency_key SET busy_until = ${busyUntil}
          WHERE ${at(scope)} AND answer IS NULL AND busy_until <= ${now}
          RETURNING key
        `.pipe(Rows.any),

      keeping,

      /** Stores the answer of a charge, and returns the answer that was stored first; none without the claim. */
      keep: ({ key, operation, user_id }: Scope, reference: Schema.Json, answer: Schema.Json) =>
        keeping(sql`(
          SELECT ${user_id}::uuid AS user_id, ${operation}::text AS operation, ${key}::text AS key,
            ${sql.json(reference)}::jsonb AS reference, ${sql.json(answer)}::jsonb AS answer
        )`).pipe(
          Effect.map(([claim]) => Option.map(Option.fromUndefinedOr(claim), (claim) => claim.answer ?? answer)),
          Effect.orDie
        ),

      /** Ends the lease of a claim without an answer, so that the next request takes it over. */
      leave: (scope: Scope, reference: Schema.Json) =>
        Effect.orDie(
          sql`UPDATE idempotency_key SET busy_until = 'epoch' WHERE ${of(scope, reference)} AND answer IS NULL`
        ),

      /** Removes the claim of a charge that was undone. */
      free: (scope: Scope, reference: Schema.Json) =>
        Effect.orDie(sql`DELETE FROM idempotency_key WHERE ${of(scope, reference)} AND answer IS NULL`),

      remove: (scope: Scope, now: Date) =>
        Effect.orDie(sql`DELETE FROM idempotency_key WHERE ${at(scope)} AND expires_at <= ${now}`),

      removeExpired: (now: DateTime.Utc, limit: number) =>
        sql`
          DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotency_key WHERE expires_at <= ${DateTime.toDate(now)} LIMIT ${limit}
          )) RETURNING key
        `.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
