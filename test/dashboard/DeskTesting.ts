import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import * as Browser from "../support/Browser.ts"
import { http, newAccount, password } from "./PagesTesting.ts"

/** A browser in which a new person is signed in. */
export const signedIn = Effect.gen(function* () {
  const account = yield* newAccount
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/sign-in`)
  yield* browser.submit({ email: account.email, password })
  return {
    ...browser,
    user_id: account.id as UserId,
    visit: (path: string) => browser.open(`${http}/app/${path}`)
  }
})

export const verifyEmail = (user_id: UserId) =>
  SqlClient.SqlClient.use((sql) => sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`)

/** The path of a page and its query, without `/app/`. */
export const placeOf = ({ url }: Browser.Page) => url.replace(`${http}/app/`, "")

/** The text of a page without its markup, on one line. */
export const wordsOf = ({ text }: Browser.Page) =>
  text
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
