import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { EmailVerified, UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { GivenPassword, NewPassword } from "../passwords/Password.ts"

const logout = HttpApiEndpoint.post("logout", "/logout", { success: HttpApiSchema.Empty(204) })
  .annotate(OpenApi.Summary, "Sign out")
  .annotate(OpenApi.Description, "Ends this session at once: its access and refresh tokens stop working.")

const logoutAll = HttpApiEndpoint.post("logoutAll", "/logout-all", { success: HttpApiSchema.Empty(204) })
  .annotate(OpenApi.Summary, "Sign out everywhere")
  .annotate(
    OpenApi.Description,
    "Ends every session, this one included, and every OAuth connection. API keys keep working; revoke them singly."
  )

const changePassword = HttpApiEndpoint.post("changePassword", "/password", {
  payload: Schema.Struct({
    current_password: optional(GivenPassword, { description: "Absent only when the account has no password yet" }),
    new_password: NewPassword
  }),
  success: HttpApiSchema.Empty(204),
  error: [WrongPassword, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Change the password")
  .annotate(
    OpenApi.Description,
    "Ends every other session and every OAuth connection; this session stays. A wrong current password answers 403, " +
      "a missing one 422. At most 10 attempts of a session in 15 minutes."
  )

const resend = HttpApiEndpoint.post("resendVerification", "/email/verify/resend", {
  success: HttpApiSchema.Empty(202),
  error: EmailVerified
})
  .annotate(OpenApi.Summary, "Mail another verification token")
  .annotate(OpenApi.Description, "A verified email answers 409. At most 5 an hour.")

/** What a signed-in person does with their sign-in. */
export class SessionApi extends HttpApiGroup.make("session")
  .add(logout, logoutAll, changePassword, resend)
  .prefix("/auth")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "What a signed-in person does with their sign-in.") {}
