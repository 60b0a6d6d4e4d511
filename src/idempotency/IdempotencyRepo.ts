import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { UserId } from "../accounts/User.ts"

/** What names a request: the account, the operation and the client's key. */
const Scope = Schema.Struct({ user_id: UserId, operation: Schema.String, key: Schema.String })
export type Scope = typeof Scope.Type

const Claim = Schema.Struct({
  request_hash: Schema.String,
  reference: Schema.Json,
  answer: Schema.NullOr(Schema.Json),
  busy_until: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate
})
type Claim = typeof Claim.Type

export class IdempotencyRepo extends Context.Service<IdempotencyRepo>()("app/idempotency/IdempotencyRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const at = ({ key, operation, user_id }: typeof Scope.Encoded) =>
      sql`user_id = ${user_id} AND operation = ${operation} AND key = ${key}`
    /** The claim of one charge: not that of another, made after this one was freed or forgotten. */
    const of = (scope: Scope, reference: Schema.Json) => sql`${at(scope)} AND reference = ${sql.json(reference)}`

    const find = SqlSchema.findOneOption({
      Request: Scope,
      Result: Claim,
      execute: (scope) =>
        sql`SELECT request_hash, reference, answer, busy_until, expires_at FROM idempotency_key WHERE ${at(scope)}`
    })

    return {
      find: (scope: Scope) => Effect.orDie(find(scope)),

      /**
       * Answers a row to the one request that claims the key; waits for a claim that is being committed. To be run, or to
       * be part of a larger statement.
       */
      claiming: (scope: Scope, claim: Omit<Claim, "answer">) =>
        sql`
          INSERT INTO idempotency_key (user_id, operation, key, request_hash, reference, busy_until, expires_at)
          VALUES (${scope.user_id}, ${scope.operation}, ${scope.key}, ${claim.request_hash},
            ${sql.json(claim.reference)}, ${DateTime.toDate(claim.busy_until)}, ${DateTime.toDate(claim.expires_at)})
          ON CONFLICT DO NOTHING
          RETURNING key
        `,

      /** True when the claim was left by a process that died and is the caller's to finish. */
      takeOver: (scope: Scope, now: DateTime.Utc, busyUntil: DateTime.Utc) =>
        sql`
          UPDATE idempotency_key SET busy_until = ${DateTime.toDate(busyUntil)}
          WHERE ${at(scope)} AND answer IS NULL AND busy_until <= ${DateTime.toDate(now)}
          RETURNING key
        `.pipe(
          Effect.map((rows) => rows.length === 1),
          Effect.orDie
        ),

      /** Stores the answer to a charge, and answers the one that stands: the first. */
      answer: (scope: Scope, reference: Schema.Json, answer: Schema.Json) =>
        sql<{ answer: Schema.Json }>`
          UPDATE idempotency_key SET answer = coalesce(answer, ${sql.json(answer)}) WHERE ${of(scope, reference)}
          RETURNING answer
        `.pipe(
          Effect.map(([claim]) => (claim === undefined ? answer : claim.answer)),
          Effect.orDie
        ),

      /** Leaves a claim that could not be answered yet to the next request. */
      leave: (scope: Scope, reference: Schema.Json) =>
        Effect.orDie(
          sql`UPDATE idempotency_key SET busy_until = 'epoch' WHERE ${of(scope, reference)} AND answer IS NULL`
        ),

      /** Forgets a claim of which nothing remains. */
      free: (scope: Scope, reference: Schema.Json) =>
        Effect.orDie(sql`DELETE FROM idempotency_key WHERE ${of(scope, reference)} AND answer IS NULL`),

      remove: (scope: Scope, now: DateTime.Utc) =>
        Effect.orDie(sql`DELETE FROM idempotency_key WHERE ${at(scope)} AND expires_at <= ${DateTime.toDate(now)}`),

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
