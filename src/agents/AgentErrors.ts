import { Schema, Struct } from "effect"

/** The claim token is unknown, expired or already used. */
export class ClaimTokenInvalid extends Schema.TaggedError<ClaimTokenInvalid>()("ClaimTokenInvalid", {}) {}

/** The HTTP status of each error of the agent endpoints. */
export const statuses = {
  anonymous_not_enabled: 400,
  email_taken: 409,
  invalid_claim_token: 400,
  invalid_request: 400,
  rate_limited: 429,
  unsupported_credential_type: 400
} as const

/** A refusal with an error code of `auth.md`. `message` is for the agent or its person. */
export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {
  error: Schema.Literals(Struct.keys(statuses)),
  message: Schema.String
}) {}
