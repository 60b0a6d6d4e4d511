import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { EmailVerified, UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { GivenPassword, NewPassword } from "../passwords/Password.ts"

const logout = HttpApiEndpoint.post("logout", "/logout", { success: HttpApiSchema.Empty(204) })
  .annotate(OpenApi.Summary, "Sign out")
  .annotate(OpenApi.Description, "Ends this session. Its access and refresh tokens stop working immediately.")

const logoutAll = HttpApiEndpoint.post("logoutAll", "/logout-all", { success: HttpApiSchema.Empty(204) })
  .annotate(OpenApi.Summary, "Sign out everywhere")
  .annotate(
    OpenApi.Description,
    "Ends every session, including this one, and every OAuth connection. API keys keep working; revoke them one by one."
  )

const changePassword = HttpApiEndpoint.post("changePassword", "/password", {
  payload: Schema.Struct({
    current_password: optional(GivenPassword, { description: "Required, unless the account has no password" }),
    new_password: NewPassword
  }),
  success: HttpApiSchema.Empty(204),
  error: [WrongPassword, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Change the password")
  .annotate(
    OpenApi.Description,
    "Ends every other session and every OAuth connection; this session stays signed in. A wrong current password answers " +
      "403, a missing one 422. Limit: 10 attempts per session in 15 minutes."
  )

const resend = HttpApiEndpoint.post("resendVerification", "/email/verify/resend", {
  success: HttpApiSchema.Empty(202),
  error: EmailVerified
})
  .annotate(OpenApi.Summary, "Resend the verification mail")
  .annotate(
    OpenApi.Description,
    "Mails another verification token. A verified email answers 409. Limit: 5 requests per hour."
  )

/** The operations of a signed-in person on the session and the password. */
export class SessionApi extends HttpApiGroup.make("session")
  .add(logout, logoutAll, changePassword, resend)
  .prefix("/auth")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Session")
  .annotate(
    OpenApi.Description,
    "Sign out, change the password, and request another verification mail. These operations need a session."
  ) {}
