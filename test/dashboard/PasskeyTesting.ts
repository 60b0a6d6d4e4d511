import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Browser from "../support/Browser.ts"
import * as SoftAuthenticator from "../support/SoftAuthenticator.ts"
import { placeOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { type guarded, verified } from "./SecurityTesting.ts"

/** The options that a page gives to the browser. */
export const optionsOn = ({ text }: Browser.Page) =>
  JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "null").replaceAll("&quot;", '"')) as any

/** The ticket that a page gives with the options. */
export const ticketOn = ({ forms }: Browser.Page) =>
  forms.find(({ names }) => names.has("ticket"))?.values["ticket"] as string

type Person = Effect.Success<typeof verified> & Partial<Pick<Effect.Success<typeof guarded>, "code">>

/** Gives the password and, with a second factor, a code, so that the page to make a passkey opens. */
export const beginPasskey = Effect.fnUntraced(function* ({ at, browser, code }: Person) {
  yield* at("security/passkeys/new")
  const page = yield* browser.submit({ password, ...(code !== undefined && { otp: yield* code }) })
  assert.strictEqual(page.status, 200, page.text)
  // A code works once.
  if (code !== undefined) yield* TestClock.adjust("30 seconds")
  return { page, options: optionsOn(page), ticket: ticketOn(page) }
})

/** Adds a passkey of a new authenticator. */
export const addPasskey = Effect.fnUntraced(function* (
  person: Person,
  name = "My phone",
  changes: SoftAuthenticator.Changes = {}
) {
  const { options } = yield* beginPasskey(person)
  const authenticator = SoftAuthenticator.make()
  const page = yield* person.browser.submit({ name, credential: authenticator.create(options, changes) })
  assert.strictEqual(placeOf(page), "security?outcome=passkey-added", page.text)
  return authenticator
})

/** A person with a passkey. */
export const withPasskey = Effect.gen(function* () {
  const person = yield* verified
  return { ...person, authenticator: yield* addPasskey(person) }
})

/** Another browser at the page of the sign-in. */
export const atSignIn = Effect.fnUntraced(function* (query = "") {
  const browser = yield* Browser.forServer(http)
  const page = yield* browser.open(`${http}/app/sign-in${query}`)
  return { ...browser, page, options: optionsOn(page) }
})

/** Signs in with a passkey in another browser, and answers its page. */
export const signInWith = Effect.fnUntraced(function* (
  authenticator: SoftAuthenticator.SoftAuthenticator,
  changes: SoftAuthenticator.Changes = {}
) {
  const { options, submit } = yield* atSignIn()
  return yield* submit({ credential: authenticator.get(options, changes) })
})

/** What is stored of a person's passkeys. */
export const passkeysOf = (user_id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      SELECT id, name, credential_id, sign_count::int AS sign_count, is_synced, last_used_at, refused_at
      FROM passkey WHERE user_id = ${user_id} ORDER BY created_at, id
    `
  )

/** Takes the notices out of the mails that wait for an address. */
export const mailsTo = (email: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly subject: string; readonly text: string }>`
      DELETE FROM email_outbox WHERE to_address = ${email} AND kind = 'notice' RETURNING subject, text
    `
  )
