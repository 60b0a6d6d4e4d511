import { Schema } from "effect"
import { AccountName } from "../accounts/AccountLookUp.ts"

/** Reads the id or the email by which an operator names an account. */
export const decode = Schema.decodeUnknownOption(AccountName)

export const expected = (text: string) => `Expected the id or the email of an account, got ${text}`
