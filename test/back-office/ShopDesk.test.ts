import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { http } from "../dashboard/PagesTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import { newUser } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, nextCode, password, signedIn } from "./BackOfficeTesting.ts"

const reason = "Asked for by mail"

const fieldsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value])
  )

const timeIn = (hours: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { hours })).slice(0, 16))

layer(TestApp.layer())("The pages of promo codes, announcements and care", (it) => {
  it.effect("add a promo code, change its limits and end it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser, page } = yield* signedIn("finance@example.com", "finance")
      assert.include(page.text, 'href="/admin/promo-codes"')
      const list = yield* browser.open(`${admin}/promo-codes`)
      assertSafe(list, http)
      assert.include(list.text, "There is no promo code yet.")
      const form = yield* browser.open(`${admin}/promo-codes/new`)
      assertSafe(form, http)
      const wrong = yield* browser.submit({ code: "x", value: "200", use_limit: "0", offer_ids: "a, b" })
      assert.strictEqual(wrong.status, 422)
      for (const part of ["Use 3 to 40 letters", "Enter a whole number from 1", "Enter at most 100 ids"])
        assert.include(wrong.text, part)
      const much = yield* browser.submit({ code: "spring-20", value: "200", use_limit: "", offer_ids: "" })
      assert.strictEqual(much.status, 422)
      assert.include(much.text, "Must be a percentage of 1 to 100")
      const added = yield* browser.submit({ code: "spring-20", value: "20", expires_at: yield* timeIn(48) })
      assertSafe(added, http)
      for (const part of ["The promo code is added.", "SPRING-20", "20 %", "No order has used it."])
        assert.include(added.text, part)
      const limited = yield* browser.submit({ use_limit: "7", reason: "The budget is small" })
      assert.include(limited.text, "The promo code is changed.")
      assert.include(limited.text, "0 of 7")
      const path = new URL(limited.url).pathname
      const end = yield* browser.open(`${http}${path}/end`)
      assertSafe(end, http)
      const ended = yield* browser.submit({ reason: "The action is over" })
      assert.include(ended.text, "Ended")
      assert.notInclude(ended.text, "Change the limits")
      const [row] = yield* sql`SELECT code, use_limit, disabled_at IS NOT NULL AS is_ended FROM promo_code`
      assert.deepStrictEqual(row, { code: "SPRING-20", use_limit: 7, is_ended: true })

      const viewer = (yield* signedIn("viewer@example.com", "viewer")).browser
      assert.notInclude((yield* viewer.open(`${admin}/promo-codes`)).text, "New promo code")
      assert.strictEqual((yield* viewer.open(`${admin}/promo-codes/new`)).status, 403)
      assert.strictEqual((yield* viewer.open(`${admin}/promo-codes/nothing`)).status, 404)
    })
  )

  it.effect("publish an announcement after a page with words and number, once, and end it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${yield* newUser}`
      const { browser } = yield* signedIn("owner@example.com", "owner")
      const form = yield* browser.open(`${admin}/announcements/new`)
      assertSafe(form, http)
      const short = yield* browser.submit({ title_en: "ab", title_de: "Nur ein Titel" })
      assert.strictEqual(short.status, 422)
      for (const part of ["Write a title of 3 to 120", "Write a text of 3 to 4,000", "Choose a day and a time"])
        assert.include(short.text, part)
      const fields = {
        kind: "maintenance",
        title_en: "Maintenance <b>",
        body_en: "First.\n\nSecond.",
        title_de: "Wartung",
        ends_at: yield* timeIn(3),
        ways: ["banner", "mail"]
      }
      const half = yield* browser.submit(fields)
      assert.include(half.text, "Write title and text in German, or neither")
      const review = yield* browser.submit({ ...fields, body_de: "Ein Teil." })
      assertSafe(review, http)
      for (const part of [
        "Publish this announcement?",
        "Maintenance &lt;b&gt;",
        "<p>Second.</p>",
        "Wartung",
        "<b>1</b>"
      ])
        assert.include(review.text, part)
      assert.lengthOf(yield* sql`SELECT FROM announcement`, 0)
      const sent = fieldsOf(review.text)
      const published = yield* browser.submit({ confirmed: "yes" })
      assertSafe(published, http)
      assert.include(published.text, "The announcement is published.")
      assert.lengthOf(yield* sql`SELECT FROM announcement`, 1)
      yield* browser.post(`${admin}/announcements/new`, { ...sent, ways: ["banner", "mail"] })
      assert.lengthOf(yield* sql`SELECT FROM announcement`, 1)
      const list = yield* browser.open(`${admin}/announcements`)
      assertSafe(list, http)
      assert.include(list.text, "Running")
      yield* browser.open(published.url)
      const ended = yield* browser.submit({ reason: "The work is done" })
      assert.include(ended.text, "The announcement has ended.")
      assert.notInclude(ended.text, "End now")
    })
  )

  it.effect("help a customer: note, verification mail, sessions, export and erasure with a confirmation", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* newUser
      const { browser, secret } = yield* signedIn("owner2@example.com", "owner")
      const page = `${admin}/customers/${user}`
      const first = yield* browser.open(page)
      assertSafe(first, http)
      for (const part of ["There is no note", "No mail in the last 180 days.", "Erase the account"])
        assert.include(first.text, part)
      const mailed = yield* browser.submit({}, { action: "verification" })
      assert.include(mailed.text, "The verification mail is on its way.")
      assert.include(mailed.text, "Link that verifies the email")
      yield* browser.open(`${page}/note`)
      assert.strictEqual((yield* browser.submit({ text: "x".repeat(2_001) })).status, 422)
      assert.include((yield* browser.submit({ text: "Called <b>twice" })).text, "Called &lt;b&gt;twice")
      yield* browser.open(`${page}/sign-out`)
      assert.include((yield* browser.submit({ reason })).text, "All sessions have ended.")

      yield* sql`UPDATE staff_session SET confirmed_at = to_timestamp(-3600)`
      yield* browser.open(`${page}/export`)
      const asked = yield* browser.submit({ reason })
      assert.strictEqual(asked.status, 403)
      assert.include(asked.text, "Confirm that it is you")
      const file = yield* browser.submit({ confirm_password: password, confirm_code: yield* nextCode(secret) })
      assert.strictEqual(JSON.parse(file.text).profile.email, `${user}@example.com`)
      const erase = yield* browser.open(`${page}/erase`)
      assertSafe(erase, http)
      for (const part of ["Erase this account for good?", "Money that is lost", "Proxies that end"])
        assert.include(erase.text, part)
      const erased = yield* browser.submit({ reason })
      assert.include(erased.text, "The account is erased.")
      assert.notInclude(erased.text, "Called")
      assert.lengthOf(yield* sql`SELECT FROM user_account WHERE id = ${user} AND deleted_at IS NOT NULL`, 1)

      const support = (yield* signedIn("support@example.com", "support")).browser
      const other = yield* newUser
      const shown = yield* support.open(`${admin}/customers/${other}`)
      assert.include(shown.text, "Write a note")
      assert.notInclude(shown.text, "Erase the account")
      for (const name of ["export", "erase"])
        assert.strictEqual((yield* support.open(`${admin}/customers/${other}/${name}`)).status, 403)
    })
  )
})
