import { Schema } from "effect"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import { text } from "../../pages/Html.ts"
import { passwordFaults } from "./PasswordFaults.ts"

/** A form that asks for nothing but the password. */
export const fields = Schema.Struct({ password: GivenPassword })
export type Fields = typeof fields.Type

export const messages = { password: text("account.password_missing") } as const

export const told = passwordFaults("password")
