import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId } from "../accounts/ApiKey.ts"
import { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

/** The registration of an agent. Its claim token is stored as a SHA-256 hash. */
export const AgentRegistrationRow = Schema.Struct({
  id: Schema.String,
  user_id: UserId,
  /** Null after the key was revoked. */
  api_key_id: Schema.NullOr(ApiKeyId),
  claim_token_hash: Schema.String,
  claim_token_expires_at: Schema.DateTimeUtcFromDate,
  claimed_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate
})
export type AgentRegistrationRow = typeof AgentRegistrationRow.Type

export class AgentRegistrationsRepo extends Context.Service<AgentRegistrationsRepo>()(
  "app/agents/AgentRegistrationsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encode = Schema.encodeEffect(AgentRegistrationRow)
      const first = Rows.first(AgentRegistrationRow)

      return {
        insert: (row: AgentRegistrationRow) =>
          encode(row).pipe(
            Effect.flatMap((row) => sql`INSERT INTO agent_registration ${sql.insert(row)}`),
            Effect.asVoid,
            Effect.orDie
          ),

        /** Finds the registration of an unused, unexpired claim token. */
        findClaimable: (claim_token_hash: string, now: DateTime.Utc) =>
          first(sql`
            SELECT * FROM agent_registration
            WHERE claim_token_hash = ${claim_token_hash} AND claimed_at IS NULL
              AND claim_token_expires_at > ${DateTime.toDate(now)}
          `),

        findByKey: (api_key_id: ApiKeyId) =>
          first(sql`SELECT * FROM agent_registration WHERE api_key_id = ${api_key_id}`),

        markClaimed: (id: string, at: DateTime.Utc) =>
          Effect.orDie(sql`UPDATE agent_registration SET claimed_at = ${DateTime.toDate(at)} WHERE id = ${id}`),

        /** Removes the registrations of erased accounts. */
        removeOf: (user_ids: ReadonlyArray<UserId>) =>
          Effect.orDie(sql`DELETE FROM agent_registration WHERE user_id = ANY (${user_ids}::uuid[])`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
