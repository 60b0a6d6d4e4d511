import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FormToken from "../../src/pages/FormToken.ts"
import * as Browser from "../support/Browser.ts"
import { dashboardRoutes } from "../support/DashboardRoutes.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, signedIn, verifyEmail } from "./DeskTesting.ts"
import { addressOf, formFields, purposeOf } from "./FormFieldsTable.ts"
import { type Household, household, snapshot } from "./FormTesting.ts"
import { http, password } from "./PagesTesting.ts"

const foreign = [
  { "sec-fetch-site": "cross-site", origin: "null" },
  { "sec-fetch-site": "same-site", origin: "https://other.localhost" },
  { origin: "https://evil.example" }
]

/** Headers of a browser that does not say which site sent a form. */
const silent = { "sec-fetch-site": "none" }

const marker = "typed on another site"

/** Sends the right form with its token, and a text that the answer would repeat. */
const send = (person: Household, route: string, headers: Record<string, string>) => {
  const form_token = FormToken.make(person.browser.cookies.get("browser") ?? "", purposeOf(route, person))
  const fields = { ...formFields[route]?.fields(person), form_token, marker }
  return person.browser.post(`${http}${addressOf(route, person)}`, fields, { headers })
}

layer(TestApp.layerSandbox, { timeout: "3 minutes" })("A form of another site", (it) => {
  it.effect("is refused on every route, changes nothing, and is not repeated", () =>
    Effect.gen(function* () {
      const routes = yield* dashboardRoutes("POST")
      assert.deepStrictEqual(Object.keys(formFields).toSorted(), [...routes], "the table of the forms")
      const person = yield* household
      const before = yield* snapshot
      const cookies = [...person.browser.cookies]
      // Browsers leave the cookies out, and very old ones send them.
      for (const isKnown of [true, false])
        for (const route of routes)
          for (const headers of foreign) {
            person.browser.cookies.clear()
            if (isKnown) for (const [name, value] of cookies) person.browser.cookies.set(name, value)
            const page = yield* send(person, route, headers)
            assert.strictEqual(page.status, 403, route)
            assertSafe(page, http)
            assert.include(page.text, "<h1>This form came from another site</h1>", route)
            assert.include(page.text, `<a href="${http}/app">`, route)
            assert.notInclude(page.text, marker, route)
            assert.notInclude(page.text, "<form", route)
          }
      assert.deepStrictEqual(yield* snapshot, before)
    })
  )

  it.effect("is not kept for a person who seems signed out, whose own form is", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* signedIn
      yield* verifyEmail(user_id)
      yield* at("wallet/billing")
      const session = browser.cookies.get("session") ?? ""
      browser.cookies.delete("session")
      const kept = yield* browser.submit({ name: marker })
      assert.strictEqual(kept.status, 401)
      assert.include(kept.text, marker)
      browser.cookies.set("session", session)
      const shown = yield* browser.submit({ name: marker })
      assert.include(shown.text, `value="${marker}"`)
      assert.strictEqual(
        (yield* browser.submit({}, { action: "/billing" })).url,
        `${http}/app/wallet/billing?outcome=saved`
      )
    })
  )

  it.effect("is not repeated by any page when the browser does not say who sent it", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* signedIn
      const cookies = [...browser.cookies]
      for (const isKnown of [true, false])
        for (const path of ["account", "email", "keys", "wallet/billing", "register", "claim", "unlock"]) {
          browser.cookies.clear()
          if (isKnown) for (const [name, value] of cookies) browser.cookies.set(name, value)
          const typed = { name: marker, email: "marker@example.com", claim_token: marker, address: marker, password }
          const page = yield* browser.post(`${http}/app/${path}`, typed, { headers: silent })
          assert.notInclude(page.text, marker, path)
          assert.notInclude(page.text, "marker@example.com", path)
        }
      assert.isAbove(account.email.length, 0)
    })
  )

  it.effect("of this service needs its token also when the browser does not say who sent it", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* signedIn
      yield* at("account")
      assert.include((yield* browser.submit({ name: "Ada" }, { headers: silent })).url, "outcome=named")
      const stranger = yield* Browser.forServer(http)
      yield* stranger.open(`${http}/app/sign-in`)
      const form_token = FormToken.make(stranger.cookies.get("browser") ?? "", "x")
      yield* at("account")
      const refused = yield* browser.submit({ name: marker, form_token }, { headers: silent })
      assert.strictEqual(refused.status, 403)
      assert.include(faultsOf(refused)[""], "Please try again")
    })
  )
})
