import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { session } from "../Caller.ts"
import { EmailVerification } from "./EmailVerification.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { PasswordChanges } from "../passwords/PasswordChanges.ts"
import { Sessions } from "../sessions/Sessions.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const limits = yield* AuthLimits
    const changes = yield* CredentialChanges
    const passwords = yield* PasswordChanges
    const sessions = yield* Sessions
    const verification = yield* EmailVerification

    return handlers.handleAll({
      logout: () =>
        Effect.flatMap(session, ({ session_id }) => Effect.andThen(sessions.end(session_id), changes.caughtUp)),
      logoutAll: () =>
        Effect.flatMap(session, ({ user_id }) => Effect.andThen(sessions.endAll(user_id), changes.caughtUp)),
      changePassword: Effect.fnUntraced(function* ({ payload: { current_password, new_password } }) {
        const { session_id, user_id } = yield* session
        yield* limits.session("password", session_id)
        yield* passwords.change({ user_id, session_id, current_password, new_password })
        yield* changes.caughtUp
      }),
      resendVerification: Effect.fnUntraced(function* () {
        const { user_id } = yield* session
        yield* limits.account("email-verification", user_id)
        yield* verification.resend(user_id)
      })
    })
  })
)
