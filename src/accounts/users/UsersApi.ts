import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { EmailTaken, UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { Email } from "../Email.ts"
import { GivenPassword } from "../passwords/Password.ts"
import { Name, UserView } from "../User.ts"

const update = HttpApiEndpoint.patch("update", "/", {
  payload: Schema.Struct({
    name: Schema.optionalKey(Schema.NullOr(Name).annotate({ description: "Null removes it" })),
    email: optional(Email),
    password: optional(GivenPassword, { description: "Needed for another email when the current one is verified" })
  }),
  success: UserView,
  error: [EmailTaken, WrongPassword, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Change the profile")
  .annotate(
    OpenApi.Description,
    "Changes the fields that are given. Another email is unverified until the token mailed to it is used; the old " +
      "address is told. An email that has an account answers 409. When the current email is verified and the account has " +
      "a password, another email needs it: a missing one answers 422, a wrong one 403. At most 5 requests with an " +
      "email an hour, together with those for another verification mail."
  )

const remove = HttpApiEndpoint.delete("remove", "/", {
  payload: Schema.Struct({
    password: optional(GivenPassword, { description: "Absent only when the account has no password" })
  }),
  success: HttpApiSchema.Empty(204),
  error: [WrongPassword, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Delete the account")
  .annotate(
    OpenApi.Description,
    "Ends every session, API key and OAuth connection, erases email and name, and frees the email. Proxies of the " +
      "built-in gateway close at once; every order with a proxy becomes `cancelled`, and what was paid for is " +
      "forfeited. Cannot be undone. A wrong password answers 403. At most 10 attempts of a session in 15 minutes."
  )

const referrals = HttpApiEndpoint.get("referrals", "/referrals", {
  success: Schema.Struct({
    referral_code: Schema.String.annotate({ examples: ["K7QX2M9P"] }),
    referred: Schema.Int.annotate({ description: "Accounts registered with the code", examples: [3] }),
    earned_usd: Schema.Finite.annotate({ description: "Dollars credited so far", examples: [12.5] }),
    pending_usd: Schema.Finite.annotate({
      description:
        "Dollars that are held: a share is credited some days after its payment (14, unless the operator chose another number), once you and the account that you referred have verified your emails",
      examples: [2.5]
    })
  }).annotate({ identifier: "Referrals" }),
  error: UserNotFound
})
  .annotate(OpenApi.Summary, "Referrals")
  .annotate(
    OpenApi.Description,
    "The account's referral code and what it brought. Nothing is credited for an account with the same payer or the same address as yours, nor for a payment that is refunded or disputed."
  )

/** What a person does with their own account. */
export class UsersApi extends HttpApiGroup.make("users")
  .add(update, remove, referrals)
  .prefix("/users/me")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "What a signed-in person does with their account; API keys are refused.") {}
