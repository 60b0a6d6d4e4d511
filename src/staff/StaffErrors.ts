import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class ActionKeyReused extends ApiError<ActionKeyReused>()(
  "ActionKeyReused",
  { status: 409, detail: "This Idempotency-Key was used for another action; use a new key" },
  { reason: Schema.tag("idempotency_key_reused") }
) {}

export class StepUpNeeded extends ApiError<StepUpNeeded>()(
  "StepUpNeeded",
  { status: 403, detail: "Confirm with your password and a code; tokens cannot do this" },
  { reason: Schema.tag("step_up_needed") }
) {}

export class StaffNotFound extends ApiError<StaffNotFound>()("StaffNotFound", {
  status: 404,
  detail: "There is no such staff member"
}) {}

export class StaffEmailTaken extends ApiError<StaffEmailTaken>()(
  "StaffEmailTaken",
  { status: 409, detail: "A staff member with this email exists; invite the member again, or enable it" },
  { reason: Schema.tag("email_taken") }
) {}

export class LastOwner extends ApiError<LastOwner>()(
  "LastOwner",
  { status: 409, detail: "One active owner must remain; make another member an owner first" },
  { reason: Schema.tag("last_owner") }
) {}

export class InviteInvalid extends ApiError<InviteInvalid>()("InviteInvalid", {
  status: 400,
  detail: "The invitation is unknown, used or older than 48 hours; ask for a new one"
}) {}

export class InviteNotFound extends ApiError<InviteNotFound>()("InviteNotFound", {
  status: 404,
  detail: "This member has no open invitation"
}) {}

export class StaffTokenNotFound extends ApiError<StaffTokenNotFound>()("StaffTokenNotFound", {
  status: 404,
  detail: "There is no such token"
}) {}

export class WrongStaffCredentials extends ApiError<WrongStaffCredentials>()("WrongStaffCredentials", {
  status: 401,
  detail: "No active staff member has this email and password"
}) {}

export class WrongStaffCode extends ApiError<WrongStaffCode>()("WrongStaffCode", {
  status: 403,
  detail: "The code is wrong or used up"
}) {}

export class SignInExpired extends ApiError<SignInExpired>()("SignInExpired", {
  status: 401,
  detail: "The sign-in has expired; begin again"
}) {}
