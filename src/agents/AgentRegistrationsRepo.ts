import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ApiKeyId } from "../accounts/ApiKey.ts"
import { UserId } from "../accounts/User.ts"

/** An agent that registered itself. Of its claim token the SHA-256 is stored. */
export const AgentRegistrationRow = Schema.Struct({
  id: Schema.String,
  user_id: UserId,
  /** Null once the key is given up. */
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

      const findClaimable = SqlSchema.findOneOption({
        Request: Schema.Struct({ claim_token_hash: Schema.String, now: Schema.DateTimeUtcFromDate }),
        Result: AgentRegistrationRow,
        execute: ({ claim_token_hash, now }) => sql`
          SELECT * FROM agent_registration
          WHERE claim_token_hash = ${claim_token_hash} AND claimed_at IS NULL AND claim_token_expires_at > ${now}
        `
      })

      const findByKey = SqlSchema.findOneOption({
        Request: ApiKeyId,
        Result: AgentRegistrationRow,
        execute: (api_key_id) => sql`SELECT * FROM agent_registration WHERE api_key_id = ${api_key_id}`
      })

      return {
        insert: (row: AgentRegistrationRow) =>
          encode(row).pipe(
            Effect.flatMap((row) => sql`INSERT INTO agent_registration ${sql.insert(row)}`),
            Effect.asVoid,
            Effect.orDie
          ),

        /** The one that a claim token still stands for. */
        findClaimable: (claim_token_hash: string, now: DateTime.Utc) =>
          Effect.orDie(findClaimable({ claim_token_hash, now })),

        findByKey: (api_key_id: ApiKeyId) => Effect.orDie(findByKey(api_key_id)),

        markClaimed: (id: string, at: DateTime.Utc) =>
          Effect.orDie(sql`UPDATE agent_registration SET claimed_at = ${DateTime.toDate(at)} WHERE id = ${id}`),

        /** Those of accounts that are erased. */
        removeOf: (user_ids: ReadonlyArray<UserId>) =>
          Effect.orDie(sql`DELETE FROM agent_registration WHERE user_id = ANY (${user_ids}::uuid[])`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
