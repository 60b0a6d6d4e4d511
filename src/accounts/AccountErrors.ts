import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class EmailTaken extends ApiError<EmailTaken>()(
  "EmailTaken",
  { status: 409, detail: "An account with this email already exists; sign in, or reset its password" },
  { reason: Schema.tag("email_taken") }
) {}

export class EmailVerified extends ApiError<EmailVerified>()(
  "EmailVerified",
  { status: 409, detail: "The email is already verified" },
  { reason: Schema.tag("email_verified") }
) {}

export class WrongCredentials extends ApiError<WrongCredentials>()("WrongCredentials", {
  status: 401,
  detail: "No account has this email and password"
}) {}

/** Only a person with the right password or passkey reads the reason. */
export class SignInBlocked extends ApiError<SignInBlocked>()(
  "SignInBlocked",
  { status: 401, detail: "The operator has blocked this account; details.public_reason says why. Contact the support" },
  {
    reason: Schema.tag("account_blocked"),
    public_reason: Schema.String.annotate({ examples: ["Your payment was disputed."] })
  }
) {}

export class AccountHasPayout extends ApiError<AccountHasPayout>()(
  "AccountHasPayout",
  { status: 409, detail: "A withdrawal of the wallet is open; cancel it, or wait until it is settled" },
  { reason: Schema.tag("payout_open") }
) {}

export class WrongPassword extends ApiError<WrongPassword>()("WrongPassword", {
  status: 403,
  detail: "The password is not the account's current password; check it and try again"
}) {}

export class RefreshTokenInvalid extends ApiError<RefreshTokenInvalid>()("RefreshTokenInvalid", {
  status: 401,
  detail: "The refresh token is unknown, expired or already used, or its session has ended; sign in again"
}) {}

export class EmailTokenInvalid extends ApiError<EmailTokenInvalid>()("EmailTokenInvalid", {
  status: 400,
  detail: "The token is unknown, expired or already used; request another mail"
}) {}

export class UserNotFound extends ApiError<UserNotFound>()("UserNotFound", {
  status: 404,
  detail: "The account does not exist"
}) {}

/** Also for a session of another account: its id reveals nothing. */
export class SessionNotFound extends ApiError<SessionNotFound>()("SessionNotFound", {
  status: 404,
  detail: "The session does not exist or has ended; GET /auth/sessions lists your sessions"
}) {}

export class ApiKeyOfAnotherUser extends ApiError<ApiKeyOfAnotherUser>()("ApiKeyOfAnotherUser", {
  status: 403,
  detail: "The API key belongs to another account"
}) {}

export class ApiKeyNotFound extends ApiError<ApiKeyNotFound>()("ApiKeyNotFound", {
  status: 404,
  detail: "The API key does not exist; GET /api-keys lists your keys"
}) {}

export class TooManyApiKeys extends ApiError<TooManyApiKeys>()(
  "TooManyApiKeys",
  { status: 409, detail: "The account already has 100 API keys; revoke one first" },
  { reason: Schema.tag("too_many_api_keys") }
) {}

export class OtpRequired extends ApiError<OtpRequired>()(
  "OtpRequired",
  {
    status: 401,
    detail: "The account has a second factor; send the code of the authenticator app, or a recovery code, as otp"
  },
  { reason: Schema.tag("otp_required") }
) {}

export class OtpInvalid extends ApiError<OtpInvalid>()(
  "OtpInvalid",
  { status: 401, detail: "The otp is wrong or was used already; wait for the next code of the authenticator app" },
  { reason: Schema.tag("otp_invalid") }
) {}

export class SignInExpired extends ApiError<SignInExpired>()("SignInExpired", {
  status: 401,
  detail: "The sign-in took longer than 10 minutes, or began in another browser; sign in again"
}) {}

export class WrongOtp extends ApiError<WrongOtp>()(
  "WrongOtp",
  { status: 403, detail: "The otp is wrong or was used already; wait for the next code of the authenticator app" },
  { reason: Schema.tag("otp_invalid") }
) {}

export class SecondFactorNeedsEmail extends ApiError<SecondFactorNeedsEmail>()(
  "SecondFactorNeedsEmail",
  { status: 403, detail: "Verify the email of the account first: POST /auth/email/verify/resend mails a token" },
  { reason: Schema.tag("email_not_verified") }
) {}

export class SecondFactorOn extends ApiError<SecondFactorOn>()(
  "SecondFactorOn",
  { status: 409, detail: "The second factor is on already; turn it off first" },
  { reason: Schema.tag("second_factor_on") }
) {}

export class SecondFactorOff extends ApiError<SecondFactorOff>()(
  "SecondFactorOff",
  { status: 409, detail: "The account has no second factor" },
  { reason: Schema.tag("second_factor_off") }
) {}

export class SecondFactorNotStarted extends ApiError<SecondFactorNotStarted>()(
  "SecondFactorNotStarted",
  {
    status: 409,
    detail:
      "This session has no secret that waits for a code, or it has expired; POST /users/me/second-factor makes one"
  },
  { reason: Schema.tag("second_factor_not_started") }
) {}

/** The same for an unknown passkey and a wrong signature, so that it reveals no account. */
export class PasskeyRefused extends ApiError<PasskeyRefused>()("PasskeyRefused", {
  status: 401,
  detail: "The passkey is unknown, was removed, or did not sign for this page; sign in in another way"
}) {}

export class PasskeyTooLate extends ApiError<PasskeyTooLate>()("PasskeyTooLate", {
  status: 401,
  detail: "The passkey was used more than 5 minutes after the page was opened, in another browser, or twice; try again"
}) {}

export class PasskeyNotMade extends ApiError<PasskeyNotMade>()("PasskeyNotMade", {
  status: 422,
  detail: "The browser made no passkey that this service accepts; try again"
}) {}

export class PasskeyKnown extends ApiError<PasskeyKnown>()("PasskeyKnown", {
  status: 409,
  detail: "An account already has this passkey"
}) {}

export class PasskeyNotFound extends ApiError<PasskeyNotFound>()("PasskeyNotFound", {
  status: 404,
  detail: "The passkey does not exist; it may be removed already"
}) {}

export class TooManyPasskeys extends ApiError<TooManyPasskeys>()("TooManyPasskeys", {
  status: 409,
  detail: "The account already has 10 passkeys; remove one first"
}) {}

export class PasskeysNotPossible extends ApiError<PasskeysNotPossible>()("PasskeysNotPossible", {
  status: 409,
  detail: "Browsers have no passkeys for the address of this service"
}) {}
