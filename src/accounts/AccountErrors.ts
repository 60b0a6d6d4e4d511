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
