import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { Text } from "../../platform/fields/Text.ts"
import { EmailTaken, EmailTokenInvalid, RefreshTokenInvalid, WrongCredentials } from "../AccountErrors.ts"
import { Anonymous } from "../Authentication.ts"
import { Email } from "../Email.ts"
import { GivenPassword, NewPassword } from "../passwords/Password.ts"
import { SessionTokensView } from "../SessionTokensView.ts"
import { Name } from "../User.ts"

const Token = Text(1, 200).annotate({ examples: ["0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"] })

const register = HttpApiEndpoint.post("register", "/register", {
  payload: Schema.Struct({
    email: Email,
    password: NewPassword,
    name: optional(Name),
    referral_code: optional(Text(1, 64), {
      description: "The code of the account that recommended the service",
      examples: ["K7QX2M9P"]
    })
  }).annotate({ examples: [{ email: "ada@example.com", password: "correct horse battery staple", name: "Ada" }] }),
  success: SessionTokensView.pipe(HttpApiSchema.status(201)),
  error: [EmailTaken, RequestInvalid, RateLimited]
})
  .annotate(OpenApi.Summary, "Register")
  .annotate(
    OpenApi.Description,
    "Creates an account, signs it in and mails a verification token. An email that has an account answers 409; an " +
      "unknown referral code answers 422. At most 20 registrations an hour from one address, 100 from one network (IPv4 /24, " +
      "IPv6 /48), and 60 a minute and 600 an hour from all."
  )

const login = HttpApiEndpoint.post("login", "/login", {
  payload: Schema.Struct({
    email: Email,
    password: GivenPassword,
    unlock_token: optional(Token, { description: "The token of a mail that `POST /auth/login/unlock` sent" })
  }),
  success: SessionTokensView,
  error: [WrongCredentials, RateLimited]
})
  .annotate(OpenApi.Summary, "Sign in")
  .annotate(
    OpenApi.Description,
    "Begins a session. An unknown email and a wrong password answer the same 401. In 15 minutes at most 60 attempts " +
      "from one address, 20 failures for one account from one address, and 100 failures for one account. Beyond that " +
      "`429`, also for the right password: an `unlock_token` from a mail leads past these limits, with 20 failures of its own."
  )

const unlock = HttpApiEndpoint.post("unlockLogin", "/login/unlock", {
  payload: Schema.Struct({ email: Email }),
  success: HttpApiSchema.Empty(202),
  error: RateLimited
})
  .annotate(OpenApi.Summary, "Ask for a way past a locked sign-in")
  .annotate(
    OpenApi.Description,
    "Mails a link and a token to an owner who is kept out by the wrong sign-ins of others. For two hours `unlock_token` leads " +
      "past the limits of `POST /auth/login`; the password is still needed. The answer is the same for an email without an " +
      "account. At most 5 an hour for one account and 20 from one address: at `429` look for " +
      "the mail that was sent before."
  )

const refresh = HttpApiEndpoint.post("refresh", "/refresh", {
  payload: Schema.Struct({ refresh_token: Token }),
  success: SessionTokensView,
  error: RefreshTokenInvalid
})
  .annotate(OpenApi.Summary, "Refresh a session")
  .annotate(
    OpenApi.Description,
    "Answers a fresh access token and the next refresh token. Each refresh token works once, within 30 days; a second " +
      "use means that somebody else has it, so it ends the session. Do not repeat a refresh whose answer was lost: sign in."
  )

const forgot = HttpApiEndpoint.post("forgotPassword", "/password/forgot", {
  payload: Schema.Struct({ email: Email }),
  success: HttpApiSchema.Empty(202),
  error: RateLimited
})
  .annotate(OpenApi.Summary, "Ask for a password reset")
  .annotate(
    OpenApi.Description,
    "Mails a reset token when the email has an account. The answer is the same when it has none. At most 5 an hour " +
      "for one account and 20 from one address."
  )

const reset = HttpApiEndpoint.post("resetPassword", "/password/reset", {
  payload: Schema.Struct({ token: Token, new_password: NewPassword }),
  success: HttpApiSchema.Empty(204),
  error: EmailTokenInvalid
})
  .annotate(OpenApi.Summary, "Reset the password")
  .annotate(
    OpenApi.Description,
    "Sets a new password with the token of the mail, which works once within an hour. Ends every session and every " +
      "OAuth connection of the account, and verifies its email. When that was not verified before, somebody else may have " +
      "registered with it: its API keys and webhook endpoints are deleted too, its orders stop renewing, and its referrer " +
      "earns nothing more."
  )

const verify = HttpApiEndpoint.post("verifyEmail", "/email/verify", {
  payload: Schema.Struct({ token: Token }),
  success: HttpApiSchema.Empty(204),
  error: EmailTokenInvalid
})
  .annotate(OpenApi.Summary, "Verify the email")
  .annotate(
    OpenApi.Description,
    "Uses the token of the mail, which works once within 24 hours. Verify an account only if you registered it. When somebody " +
      "else registered with your address, reset the password instead: that ends everything that was set up in the account."
  )

/** Signing up and in, and what a person can do by mail: no credentials needed. */
export class AuthApi extends HttpApiGroup.make("auth")
  .add(register, login, unlock, refresh, forgot, reset, verify)
  .prefix("/auth")
  .middleware(Anonymous)
  .annotate(OpenApi.Title, "Sign-in")
  .annotate(OpenApi.Description, "Signing up and in, and what a person does by mail; no credentials are needed.") {}
