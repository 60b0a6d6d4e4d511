import { Schema } from "effect"
import { UserView } from "./User.ts"

/** The answer to a sign-in: the tokens of the session, and the account. */
export const SessionTokensView = Schema.Struct({
  access_token: Schema.String.annotate({
    description: "Send it as `Authorization: Bearer <token>`",
    examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9..."]
  }),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Literal(900).annotate({ description: "Lifetime of the access token in seconds" }),
  refresh_token: Schema.String.annotate({
    description: "Works once; expires after 30 days",
    examples: ["prs_0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  }),
  user: UserView
}).annotate({ identifier: "TokenAnswer" })
export type SessionTokensView = typeof SessionTokensView.Type
