import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { AccountHasPayout, EmailTaken, UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { LanguageCode } from "../../brand/LanguageCode.ts"
import { Email } from "../Email.ts"
import { GivenPassword } from "../passwords/Password.ts"
import { AccountRestricted } from "../restrictions/RestrictionErrors.ts"
import { Name, UserView } from "../User.ts"

const update = HttpApiEndpoint.patch("update", "/", {
  payload: Schema.Struct({
    name: Schema.optionalKey(Schema.NullOr(Name).annotate({ description: "Null removes it" })),
    email: optional(Email),
    language: optional(LanguageCode, { description: "Language of the mails and notifications to the account" }),
    password: optional(GivenPassword, { description: "Required to change a verified email" })
  }),
  success: UserView,
  error: [EmailTaken, WrongPassword, RequestInvalid, UserNotFound]
})
  .annotate(OpenApi.Summary, "Change the profile")
  .annotate(
    OpenApi.Description,
    "Changes the fields that you send. A new email is unverified until you use the token mailed to it; the service " +
      "notifies the old address. An email that already has an account answers 409. To change a verified email, send the " +
      "password of the account if it has one: a missing password answers 422, a wrong one 403. Limit: 5 requests with an " +
      "email per hour; requests for another verification mail count too."
  )

const remove = HttpApiEndpoint.delete("remove", "/", {
  payload: Schema.Struct({
    password: optional(GivenPassword, { description: "Required, unless the account has no password" })
  }),
  success: HttpApiSchema.Empty(204),
  error: [WrongPassword, RequestInvalid, UserNotFound, AccountRestricted, AccountHasPayout]
})
  .annotate(OpenApi.Summary, "Delete the account")
  .annotate(
    OpenApi.Description,
    "Ends every session, API key and OAuth connection, and erases the email and the name. The email can register again. " +
      "Proxies of the built-in gateway close immediately. Every order with a proxy becomes `cancelled`, without a refund. " +
      "You cannot undo this. A wrong password answers 403. While the operator restricts the account, the answer is 403 with " +
      "`details.reason` `account_restricted`. While a withdrawal of the wallet is open, it is 409 with `payout_open`. Limit: 10 attempts per session in 15 minutes."
  )

const referrals = HttpApiEndpoint.get("referrals", "/referrals", {
  success: Schema.Struct({
    referral_code: Schema.String.annotate({ examples: ["K7QX2M9P"] }),
    referred: Schema.Int.annotate({ description: "Number of accounts registered with the code", examples: [3] }),
    earned_usd: Schema.Finite.annotate({ description: "Dollars credited so far", examples: [12.5] }),
    pending_usd: Schema.Finite.annotate({
      description:
        "Dollars that the service holds. It credits a share some days after the payment (14 by default), once you and the account that you referred have verified your emails",
      examples: [2.5]
    })
  }).annotate({ identifier: "Referrals" }),
  error: UserNotFound
})
  .annotate(OpenApi.Summary, "Get your referrals")
  .annotate(
    OpenApi.Description,
    "Returns your referral code and its earnings. The service credits nothing for an account that has the same payer or the same client address as yours, and nothing for a payment that is refunded or disputed."
  )

/** The operations of a signed-in person on the account. */
export class UsersApi extends HttpApiGroup.make("users")
  .add(update, remove, referrals)
  .prefix("/users/me")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Account")
  .annotate(
    OpenApi.Description,
    "Change or delete your account and see your referrals. These operations need a session; they refuse API keys."
  ) {}
