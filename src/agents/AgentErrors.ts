import { Schema, Struct } from "effect"

/** A claim token that is unknown or expired, or was used. */
export class ClaimTokenInvalid extends Schema.TaggedError<ClaimTokenInvalid>()("ClaimTokenInvalid", {}) {}

/** The answer's status for each error of the agent endpoints. */
export const statuses = {
  anonymous_not_enabled: 400,
  email_taken: 409,
  invalid_claim_token: 400,
  invalid_request: 400,
  rate_limited: 429,
  unsupported_credential_type: 400
} as const

/** A refusal in the words of `auth.md`; `message` is for the agent, or the person it works for. */
export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {
  error: Schema.Literals(Struct.keys(statuses)),
  message: Schema.String
}) {}
