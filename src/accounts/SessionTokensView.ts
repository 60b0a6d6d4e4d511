import { Schema } from "effect"
import { UserView } from "./User.ts"

/** What a sign-in answers: the session's tokens and the account. */
export const SessionTokensView = Schema.Struct({
  access_token: Schema.String.annotate({
    description: "Sent as `Authorization: Bearer`",
    examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9..."]
  }),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Literal(900).annotate({ description: "Seconds the access token lives" }),
  refresh_token: Schema.String.annotate({
    description: "Works once, within 30 days",
    examples: ["prs_0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  }),
  user: UserView
}).annotate({ identifier: "TokenAnswer" })
export type SessionTokensView = typeof SessionTokensView.Type
