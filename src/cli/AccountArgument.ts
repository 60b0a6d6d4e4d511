import { Schema } from "effect"
import { AccountName } from "../accounts/AccountLookUp.ts"

/** Reads an account as an operator names it on the command line. */
export const decode = Schema.decodeUnknownOption(AccountName)

export const expected = (text: string) => `Expected the id or the email of an account, got ${text}`
