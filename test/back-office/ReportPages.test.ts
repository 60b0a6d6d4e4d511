import { assert, layer } from "@effect/vitest"
import { Array, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { reportQuery } from "../../src/back-office/reports/ReportQuery.ts"
import { ReportName } from "../../src/staff/reports/Report.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { assertSafe, assertShows } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

const day = "1970-01-01"

const sum = {
  day,
  currency: "USD",
  entries: 2,
  amount: -9_000_000,
  usd: -9_000_000,
  cost_usd: 0,
  costed: 0,
  costed_usd: 0
}

/** Sales of two countries on a day, and a delivery that cost more than it brought. */
const sold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows: Array.NonEmptyReadonlyArray<Record<string, unknown>> = [
    { ...sum, flow: "order", country: "DE", channel: "api" },
    { ...sum, flow: "order", country: "<x>", channel: "pages", usd: -4_000_000, amount: -4_000_000 },
    {
      ...sum,
      flow: "delivery",
      country: "DE",
      channel: "api",
      usd: 0,
      amount: 0,
      cost_usd: 12e6,
      costed: 2,
      costed_usd: -9e6
    },
    { ...sum, flow: "card_gateway", country: null, channel: null, usd: 25e6, amount: 25e6 }
  ]
  yield* sql`INSERT INTO money_day ${sql.insert(rows)}`
  yield* sql`INSERT INTO customer_day (day, live, live_before, stayed) VALUES (${day}, 7, 5, 4)`
})

layer(TestApp.layer())("The pages of reports", (it) => {
  it.effect("show every report with its chart, in every period and split", () =>
    Effect.gen(function* () {
      yield* sold
      const { browser, page } = yield* signedIn("finance@example.com", "finance")
      assertShows(page.text, `href="/admin/reports"`)
      assert.strictEqual((yield* browser.open(`${admin}/reports`)).url, `${admin}/reports/revenue`)
      for (const name of ReportName.literals)
        for (const period of ["day", "week", "month", "total"]) {
          const page = yield* browser.open(`${admin}/reports/${name}?from=${day}&to=${day}&period=${period}`)
          assert.strictEqual(page.status, 200, name)
          assertSafe(page, http)
          assert.notMatch(page.text, /NaN|undefined|Infinity/, name)
        }
      const revenue = yield* browser.open(`${admin}/reports/revenue?by=country`)
      assertShows(revenue.text, `<th role="rowheader" scope="row" class="name"><b>Jan 1970</b></th>`)
      for (const part of ["Germany", "&lt;x&gt;", "$9.00", "Net sales: <b>$13.00</b> in total", "<svg"])
        assert.include(revenue.text, part)
      assert.notInclude(revenue.text, "<x>")
      const margin = yield* browser.open(`${admin}/reports/margin?by=channel&period=total`)
      assert.include(margin.text, "-$3.00")
      const churn = yield* browser.open(`${admin}/reports/churn?period=day`)
      for (const part of ["Customers: <b>7</b> at the end", "20%"]) assert.include(churn.text, part)
      const payments = yield* browser.open(`${admin}/reports/payments`)
      for (const part of ["Card", "$25.00"]) assert.include(payments.text, part)
    })
  )

  it.effect("offer the file to those who may export, and record it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser } = yield* signedIn("export@example.com", "finance")
      const page = yield* browser.open(`${admin}/reports/revenue?from=${day}&to=1970-01-31&by=country`)
      const [, link = ""] = /href="([^"]*file\.csv[^"]*)"/.exec(page.text) ?? []
      const file = yield* browser.open(`${http}${link.replaceAll("&amp;", "&")}`)
      assert.include(String(file.headers["content-type"]), "text/csv")
      assert.include(String(file.headers["content-disposition"]), 'filename="revenue.csv"')
      assert.include(file.text, "1970-01-01,DE,2,9.00,0.00,0.00,9.00,0")
      const events = yield* sql`
        SELECT reason FROM audit_event WHERE action = 'report.export' AND actor_name = 'Ada finance' AND outcome = 'done'
      `
      assert.deepStrictEqual(events, [{ reason: "1970-01-01 to 1970-01-31" }])
      const viewer = yield* signedIn("views@example.com", "viewer")
      assert.notInclude((yield* viewer.browser.open(`${admin}/reports/revenue`)).text, "file.csv")
      assert.strictEqual((yield* viewer.browser.open(`${http}${link.replaceAll("&amp;", "&")}`)).status, 403)
    })
  )

  it.effect("say what is wrong with the days, and know no other report", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn("wrong@example.com", "viewer")
      const typed = yield* browser.open(`${admin}/reports/revenue?from=yesterday`)
      assert.include(typed.text, "Enter a day such as 2027-01-31")
      const turned = yield* browser.open(`${admin}/reports/revenue?from=1970-02-01&to=1970-01-01`)
      assert.include(turned.text, "The last day must not be before the first")
      assert.strictEqual((yield* browser.open(`${admin}/reports/profit`)).status, 404)
      const empty = yield* browser.open(`${admin}/reports/renewals?from=1980-01-01&to=1980-01-02&by=offer&period=x`)
      assert.include(empty.text, "No figures for this time.")
    })
  )

  it.effect("show many rows in parts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO money_day ${sql.insert(
          Array.makeBy(120, (offer_id): Record<string, unknown> => ({
            ...sum,
            day: "1975-05-05",
            flow: "order",
            offer_id
          }))
        )}
      `
      const { browser } = yield* signedIn("parts@example.com", "viewer")
      const from = "from=1975-05-05&to=1975-05-05&period=day&by=offer"
      const first = yield* browser.open(`${admin}/reports/sales?${from}`)
      assert.lengthOf([...first.text.matchAll(/role="rowheader"/g)], 50)
      const second = yield* browser.open(`${admin}/reports/sales?${from}&offset=100`)
      assert.lengthOf([...second.text.matchAll(/role="rowheader"/g)], 20)
    })
  )

  it("begin a choice of days with whole months", () => {
    const { asked, faults } = reportQuery("sales", new URLSearchParams(), DateTime.makeUnsafe("2027-03-31T12:00:00Z"))
    assert.deepStrictEqual(asked, { name: "sales", from: "2026-04-01", to: "2027-03-31", period: "total", by: "offer" })
    assert.deepStrictEqual(faults, {})
  })
})
