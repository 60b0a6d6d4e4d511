import { Schema } from "effect"
import { Otp } from "../../accounts/second-factor/Otp.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import type { Failure } from "../../pages/FormFaults.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"

/** A form that asks for the password, and for a code while the second factor is on. */
export const fields = Schema.Struct({ ...PasswordForm.fields.fields, otp: Schema.optionalKey(Otp) })
export type Fields = typeof fields.Type

export const messages = { ...PasswordForm.messages, otp: text("security.otp_missing") } as const

/** Says a wrong password and a wrong code at their fields. */
export const told = (failure: Failure): Faults =>
  failure._tag === "WrongOtp" ? { otp: text("code.wrong") } : PasswordForm.told(failure)
