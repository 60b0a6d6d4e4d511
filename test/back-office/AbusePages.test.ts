import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { http } from "../dashboard/PagesTesting.ts"
import { newUser } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, nextCode, password, signedIn } from "./BackOfficeTesting.ts"

const asked = {
  exit_ip: "203.0.113.6",
  at: "1970-01-01T00:00:00Z",
  case_number: "4711",
  reason: "A scan"
}

layer(TestApp.layer())("The pages about abuse", (it) => {
  it.effect("answer a complaint, and list the look-ups", () =>
    Effect.gen(function* () {
      const { browser, page } = yield* signedIn("support@example.com", "support")
      assert.include(page.text, 'href="/admin/abuse"')
      assertSafe(yield* browser.open(`${admin}/abuse`), http)
      const wrong = yield* browser.submit({ ...asked, exit_ip: "nowhere", at: "1970-01-01 00:00", exit_port: "70000" })
      assert.strictEqual(wrong.status, 422)
      for (const part of ["IPv4 or IPv6 address", "a time with its zone", "a port from 1 to 65535", "A scan"])
        assert.include(wrong.text, part)
      const answer = yield* browser.submit({ ...asked, exit_port: "" })
      assertSafe(answer, http)
      assert.match(answer.text, /Unknown|Not ours/)
      const list = yield* browser.open(`${admin}/abuse`)
      for (const part of ["203.0.113.6", "4711: A scan", "Ada support"]) assert.include(list.text, part)
      const { browser: viewer } = yield* signedIn("viewer@example.com", "viewer")
      assert.strictEqual((yield* viewer.open(`${admin}/abuse`)).status, 403)
    })
  )

  it.effect("place a rule about destinations once, and remove it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user_id = yield* newUser
      const { browser, secret } = yield* signedIn("second@example.com", "support")
      assertSafe(yield* browser.open(`${admin}/destinations/new?scope=account&scope_id=${user_id}`), http)
      const wrong = yield* browser.submit({ ports: "6669-6660", host: "203.0.113.7", reason: "Botnets" })
      assert.strictEqual(wrong.status, 422)
      for (const part of ["a port or a range", "a host name such as"]) assert.include(wrong.text, part)
      const form = { ports: "6660-6669", host: "", reason: "Botnets", until: "2030-01-31" }
      const placed = yield* browser.submit(form)
      assertSafe(placed, http)
      for (const part of ["The rule is in force.", "ports 6660-6669", String(user_id)])
        assert.include(placed.text, part)
      const rules = sql<{ id: string; until: string }>`
        SELECT id, to_char(until_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS until FROM destination_rule
      `
      assert.deepStrictEqual(
        (yield* rules).map(({ until }) => until),
        ["2030-02-01 00:00"]
      )

      // A block for everybody needs a confirmation that is not older than 5 minutes.
      yield* browser.open(`${admin}/destinations/new`)
      yield* sql`UPDATE staff_session SET confirmed_at = now() - interval '60 years'`
      const confirm = yield* browser.submit({ host: "example.com", reason: "Phishing" })
      assert.strictEqual(confirm.status, 403)
      assert.lengthOf(yield* rules, 1)
      const done = yield* browser.submit({ confirm_password: password, confirm_code: yield* nextCode(secret) })
      assert.include(done.text, "example.com")
      assert.lengthOf(yield* rules, 2)
      const none = yield* browser.open(`${admin}/destinations/new`)
      assert.strictEqual(none.status, 200)
      const empty = yield* browser.submit({ reason: "Nothing" })
      assert.include(empty.text, "Name a host, a network or ports")

      const [{ id = "" } = {}] = yield* sql<{
        id: string
      }>`SELECT id FROM destination_rule WHERE host_suffix IS NOT NULL`
      assertSafe(yield* browser.open(`${admin}/destinations/${id}`), http)
      assert.include((yield* browser.submit({ reason: "Settled" })).text, "The rule is removed.")
      assert.strictEqual((yield* browser.open(`${admin}/destinations/${id}`)).status, 404)
      const events = yield* sql<{ reason: string }>`
        SELECT reason FROM audit_event WHERE action = 'gateway.change' AND outcome = 'done' ORDER BY id
      `
      assert.deepStrictEqual(
        events.map(({ reason }) => reason),
        ["Botnets", "Phishing", "Settled"]
      )
    })
  )
})

layer(TestApp.layer())("The page of limits", (it) => {
  it.effect("changes a limit after a confirmation, and only for owners", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser } = yield* signedIn("owner@example.com", "owner")
      const list = yield* browser.open(`${admin}/limits`)
      assertSafe(list, http)
      for (const part of ["Support: Goodwill", "$10.00", "never alone"]) assert.include(list.text, part)
      assertSafe(yield* browser.open(`${admin}/limits/support/goodwill/USD`), http)
      const wrong = yield* browser.submit({ per_action: "much", reason: "Less" })
      assert.strictEqual(wrong.status, 422)
      const zero = yield* browser.submit({ per_action: "0", reason: "Less" })
      assert.include(zero.text, "Expected more than zero")
      const done = yield* browser.submit({ per_action: "7.5", per_staff_day: "", reason: "Less" })
      assert.include(done.text, "The change is done.")
      assert.include(done.text, "$7.50")
      const [limit] = yield* sql`
        SELECT per_action::text, per_staff_day::text FROM staff_limit
        WHERE role = 'support' AND action = 'goodwill' AND currency = 'USD'
      `
      assert.deepStrictEqual(limit, { per_action: "7500000", per_staff_day: null })
      const { browser: finance } = yield* signedIn("finance@example.com", "finance")
      assert.strictEqual((yield* finance.open(`${admin}/limits`)).status, 200)
      assert.strictEqual((yield* finance.open(`${admin}/limits/support/goodwill/USD`)).status, 403)
    })
  )
})
