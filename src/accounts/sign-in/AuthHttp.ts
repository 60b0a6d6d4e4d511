import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { choose } from "../../brand/LanguageCode.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { EmailVerification } from "./EmailVerification.ts"
import { PasswordChanges } from "../passwords/PasswordChanges.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { SignIn } from "./SignIn.ts"
import { SignInPasses } from "../sessions/SignInPasses.ts"
import { SignUp } from "./SignUp.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const passes = yield* SignInPasses
    const passwords = yield* PasswordChanges
    const sessions = yield* Sessions
    const signIn = yield* SignIn
    const signUp = yield* SignUp
    const verification = yield* EmailVerification

    return handlers.handleAll({
      register: Effect.fnUntraced(function* ({ headers, payload }) {
        return yield* limits.registration(
          signUp.register({ ...payload, language: choose(undefined, headers["accept-language"]) })
        )
      }),
      login: Effect.fnUntraced(function* ({ payload: { email, otp, password, unlock_token: unlock } }) {
        const signedIn = yield* limits.login(
          email,
          yield* passes.find({ email, unlock }),
          signIn.login(email, password, otp)
        )
        // A new session can end the account's oldest one.
        yield* changes.caughtUp
        return signedIn
      }),
      unlockLogin: Effect.fnUntraced(function* ({ payload: { email } }) {
        yield* limits.address("login-unlock")
        yield* limits.account("login-unlock", email)
        yield* passes.mail(email)
      }),
      refresh: Effect.fnUntraced(function* ({ payload }) {
        return yield* sessions.refresh(payload.refresh_token)
      }),
      forgotPassword: Effect.fnUntraced(function* ({ payload: { email } }) {
        yield* limits.address("password-reset")
        yield* limits.account("password-reset", email)
        yield* passwords.forgot(email)
      }),
      resetPassword: ({ payload }) =>
        Effect.andThen(passwords.reset(payload.token, payload.new_password), changes.caughtUp),
      verifyEmail: ({ payload }) => Effect.andThen(verification.verify(payload.token), changes.caughtUp)
    })
  })
)
