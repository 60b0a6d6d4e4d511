import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { Text } from "../../platform/fields/Text.ts"
import {
  EmailTaken,
  EmailTokenInvalid,
  OtpInvalid,
  OtpRequired,
  RefreshTokenInvalid,
  SignInBlocked,
  WrongCredentials
} from "../AccountErrors.ts"
import { Anonymous } from "../Authentication.ts"
import { Email } from "../Email.ts"
import { GivenPassword, NewPassword } from "../passwords/Password.ts"
import { Otp } from "../second-factor/Otp.ts"
import { SessionTokensView } from "../SessionTokensView.ts"
import { Name } from "../User.ts"

const Token = Text(1, 200).annotate({ examples: ["0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"] })

const register = HttpApiEndpoint.post("register", "/register", {
  headers: {
    "accept-language": Schema.optionalKey(Schema.String).annotateKey({
      description: "Languages of the person, for the mails and notifications to the account; default: English"
    })
  },
  payload: Schema.Struct({
    email: Email,
    password: NewPassword,
    name: optional(Name),
    referral_code: optional(Text(1, 64), {
      description: "Referral code of the account that recommended the service to you",
      examples: ["K7QX2M9P"]
    })
  }).annotate({ examples: [{ email: "ada@example.com", password: "correct horse battery staple", name: "Ada" }] }),
  success: SessionTokensView.pipe(HttpApiSchema.status(201)),
  error: [EmailTaken, RequestInvalid, RateLimited]
})
  .annotate(OpenApi.Summary, "Register")
  .annotate(
    OpenApi.Description,
    "Creates an account, begins a session and mails a verification token. An email that already has an account answers " +
      "409. An unknown referral code answers 422. Limits: 20 registrations per hour from one address, 100 per hour from one " +
      "network (IPv4 /24, IPv6 /48); in total 60 per minute and 600 per hour."
  )

const login = HttpApiEndpoint.post("login", "/login", {
  payload: Schema.Struct({
    email: Email,
    password: GivenPassword,
    otp: optional(Otp, {
      description:
        "Required for an account with a second factor: the code of the authenticator app, or a recovery code. Other accounts ignore it"
    }),
    unlock_token: optional(Token, { description: "Token from the mail of `POST /auth/login/unlock`" })
  }),
  success: SessionTokensView,
  error: [WrongCredentials, SignInBlocked, OtpRequired, OtpInvalid, RateLimited]
})
  .annotate(OpenApi.Summary, "Sign in")
  .annotate(
    OpenApi.Description,
    "Begins a session. An unknown email and a wrong password answer the same 401. If the account has a second " +
      "factor and the password is right, a request without `otp` answers 401 with `details.reason` `otp_required`, and a " +
      "wrong or used code 401 with `otp_invalid`; both count as failures. If the operator has blocked the account and the " +
      "password is right, it answers 401 with `account_blocked`. Limits per 15 minutes: 60 attempts from " +
      "one address, 20 failures for one account from one address, and 100 failures for one account. Beyond a limit the " +
      "service answers 429, even to the right password. An `unlock_token` bypasses these limits and allows 20 failures of " +
      "its own. An account takes 5 wrong codes in 15 minutes."
  )

const unlock = HttpApiEndpoint.post("unlockLogin", "/login/unlock", {
  payload: Schema.Struct({ email: Email }),
  success: HttpApiSchema.Empty(202),
  error: RateLimited
})
  .annotate(OpenApi.Summary, "Unlock signing in by mail")
  .annotate(
    OpenApi.Description,
    "Use this when failed sign-ins of other people lock you out. Mails a link and an `unlock_token`, which bypasses the " +
      "limits of `POST /auth/login` for two hours. You still need the password. The answer is the same for an email without " +
      "an account. Limits per hour: 5 requests for one account and 20 from one address. At `429`, look for the mail of an " +
      "earlier request."
  )

const refresh = HttpApiEndpoint.post("refresh", "/refresh", {
  payload: Schema.Struct({ refresh_token: Token }),
  success: SessionTokensView,
  error: RefreshTokenInvalid
})
  .annotate(OpenApi.Summary, "Refresh a session")
  .annotate(
    OpenApi.Description,
    "Returns a new access token and the next refresh token. Each refresh token works once and expires after 30 days. A " +
      "second use means that another person may have the token, so it ends the session. When the answer to a refresh is " +
      "lost, do not repeat the refresh: sign in."
  )

const forgot = HttpApiEndpoint.post("forgotPassword", "/password/forgot", {
  payload: Schema.Struct({ email: Email }),
  success: HttpApiSchema.Empty(202),
  error: RateLimited
})
  .annotate(OpenApi.Summary, "Request a password reset")
  .annotate(
    OpenApi.Description,
    "Mails a reset token when the email has an account. The answer is the same when it has none. Limits per hour: 5 " +
      "requests for one account and 20 from one address."
  )

const reset = HttpApiEndpoint.post("resetPassword", "/password/reset", {
  payload: Schema.Struct({ token: Token, new_password: NewPassword }),
  success: HttpApiSchema.Empty(204),
  error: EmailTokenInvalid
})
  .annotate(OpenApi.Summary, "Reset the password")
  .annotate(
    OpenApi.Description,
    "Sets a new password with the token of the mail. The token works once, within one hour. Ends every session and every " +
      "OAuth connection of the account, and verifies its email. When the email was not verified before, another person may " +
      "have registered with it. Then the service also deletes the account's API keys and webhook endpoints, stops the " +
      "renewal of its orders, and pays its referrer no further shares."
  )

const verify = HttpApiEndpoint.post("verifyEmail", "/email/verify", {
  payload: Schema.Struct({ token: Token }),
  success: HttpApiSchema.Empty(204),
  error: EmailTokenInvalid
})
  .annotate(OpenApi.Summary, "Verify the email")
  .annotate(
    OpenApi.Description,
    "Verifies the email with the token of the mail. The token works once, within 24 hours. Verify an account only if you " +
      "registered it. When another person registered with your address, reset the password instead: this removes everything " +
      "that the person set up in the account."
  )

/** Operations to register, to sign in and to use mailed tokens. They need no credentials. */
export class AuthApi extends HttpApiGroup.make("auth")
  .add(register, login, unlock, refresh, forgot, reset, verify)
  .prefix("/auth")
  .middleware(Anonymous)
  .annotate(OpenApi.Title, "Sign-in")
  .annotate(
    OpenApi.Description,
    "Register, sign in, and use the tokens of our mails. These operations need no credentials."
  ) {}
