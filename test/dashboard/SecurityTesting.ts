import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { codeOf, turnOn } from "../accounts/second-factor/SecondFactorTesting.ts"
import * as Browser from "../support/Browser.ts"
import { request } from "../support/TestServer.ts"
import { signedIn, verifyEmail } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"

/** A person with a verified email who is signed in in a browser. */
export const verified = Effect.gen(function* () {
  // The clock of the tests starts in 1970, where there is no step before the first.
  yield* TestClock.adjust("1 hour")
  return yield* Effect.tap(signedIn, ({ user_id }) => verifyEmail(user_id))
})

/** The same with the second factor on; `code` is the code that the app shows, which is not used yet. */
export const guarded = Effect.gen(function* () {
  const person = yield* verified
  const { codes, secret } = yield* turnOn(person.account.token, password)
  // This signed the browser out.
  yield* TestClock.adjust("30 seconds")
  yield* person.at("sign-in")
  yield* person.browser.submit({ email: person.account.email, password })
  yield* person.browser.submit({ otp: yield* codeOf(secret) })
  yield* TestClock.adjust("30 seconds")
  return { ...person, codes, secret, code: codeOf(secret) }
})

/** Another browser in which the person has given the right password, and now owes the code. */
export const halfSignedIn = Effect.fnUntraced(function* (account: { readonly email: string }, query = "") {
  const browser = yield* Browser.forServer(http)
  yield* browser.open(`${http}/app/sign-in${query}`)
  const page = yield* browser.submit({ email: account.email, password })
  assert.strictEqual(page.url, `${http}/app/sign-in/code${query}`)
  return { ...browser, page }
})

/** The secret that a page shows. */
export const secretOn = ({ text }: Browser.Page): string =>
  /<code id="secret">((?:<span>[A-Z2-7]{4}<\/span>){8})<\/code>/.exec(text)?.[1]?.replace(/<\/?span>/g, "") ?? ""

/** The recovery codes that a page shows. */
export const codesOn = ({ text }: Browser.Page): ReadonlyArray<string> =>
  /<pre id="codes">([^<]*)</.exec(text)?.[1]?.split("\n") ?? []

/** A code of six digits that is wrong now. */
export const wrongCode = (secret: string) =>
  Effect.map(
    Effect.all([-1, 0, 1].map((later) => codeOf(secret, later))),
    (right) => ["000000", "000001", "000002", "000003"].find((code) => !right.includes(code)) ?? ""
  )

/** What is stored of a person's second factor. */
export const stored = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const factors = yield* sql`SELECT secret FROM second_factor WHERE user_id = ${user_id}`
  const codes = yield* sql`SELECT code_hash FROM recovery_code WHERE user_id = ${user_id} ORDER BY position`
  return { isOn: factors.length > 0, codes: codes.map(({ code_hash }) => code_hash) }
})

/** The status of a sign-in of a program. */
export const loginWith = (email: string, otp?: string) =>
  Effect.map(request("POST", "/v1/auth/login", { body: { email, password, otp } }), ({ status }) => status)

/** What a page says of a wrong code. */
export const wrong = "This code is wrong, or it was used already. Wait for the next code of your app."

/** The problem that a page of the sign-in tells. */
export const alertOf = ({ text }: Browser.Page) => /role="alert">([^<]*)</.exec(text)?.[1]?.trim()

/** The sign-ins of a person that wait for the code. */
export const waiting = (user_id: string) =>
  SqlClient.SqlClient.use((sql) => sql`SELECT browser_hash FROM pending_sign_in WHERE user_id = ${user_id}`)
