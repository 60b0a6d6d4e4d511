import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import * as FormToken from "../../src/pages/FormToken.ts"
import * as Browser from "../support/Browser.ts"
import { http, newAccount, password } from "./PagesTesting.ts"

/** A person who is signed in in a browser. */
export const signedIn = Effect.gen(function* () {
  const account = yield* newAccount
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/sign-in`)
  yield* browser.submit({ email: account.email, password })
  const at = (path: string) => browser.open(`${http}/app/${path}`)

  /** Sends fields with the right token to any address, as a person can who reads the token from a page. */
  const post = (path: string, fields: Readonly<Record<string, string>> = {}) => {
    const form_token = FormToken.make(browser.cookies.get("browser") ?? "", `/app/${path}:${account.id}`)
    return browser.post(`${http}/app/${path}`, { form_token, ...fields })
  }
  return { ...browser, account, browser, at, post, user_id: account.id as UserId, visit: at }
})

/** Another browser in which the same person signs in. */
export const anotherBrowser = Effect.fnUntraced(function* (
  account: { readonly email: string },
  headers: Readonly<Record<string, string>> = {}
) {
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/sign-in`)
  yield* browser.submit({ email: account.email, password }, { headers })
  return browser
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

/** The notice of a page about the last request. */
export const noticeOf = ({ text }: Browser.Page): string | undefined => /role="status">([^<]+)</.exec(text)?.[1]?.trim()

/** The faults that a page lists above its form, by the name of the field. `""` is the form as a whole. */
export const faultsOf = ({ text }: Browser.Page): Record<string, string> => {
  const [, list = ""] = /<div\s+class="alert"[^>]*>(.*?)<\/div>/s.exec(text) ?? []
  return Object.fromEntries(
    Array.from(list.matchAll(/<li>(?:<a href="#([^"]*)">)?([^<]*)/g), ([, name = "", fault = ""]) => [
      name,
      fault.trim()
    ])
  )
}

/** A text that would be markup, an attribute or a script if a page did not escape it. */
export const hostile = `"><script>alert(1)</script>'<img src=x onerror=alert(1)>{{name}}&amp;`

/** A page shows the hostile text as it was typed. */
export const escaped =
  "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&lt;img src=x onerror=alert(1)&gt;{{name}}&amp;amp;"
