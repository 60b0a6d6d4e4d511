import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { ReportName } from "../../src/staff/reports/Report.ts"
import { admin } from "../back-office/BackOfficeTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { newSession, newStaff } from "../staff/StaffTesting.ts"
import { plants } from "../staff/todo/TodoTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import * as Chromium from "./Chromium.ts"
import { isFocused, press } from "./Keys.ts"

/** Sales of each day of a year in several countries, and the figures of these days. */
const figures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = sql`generate_series(current_date - 360, current_date - 1, interval '1 day') AS d (day)`
  yield* sql`
    INSERT INTO money_day (day, currency, flow, provider, proxy_type, country, offer_id, channel, entries, amount, usd,
      cost_usd, costed, costed_usd)
    SELECT day::date, 'USD', flow, 'gateway', 'Datacenter', country, length(flow), 'api', 30, sign * 4e6 * n, sign * 4e6 * n,
      5e6, 30, -4e6 * n
    FROM ${days},
      unnest(ARRAY['order', 'delivery', 'card_gateway', 'refund_whole'], ARRAY[-1, -1, 1, 0.5]) AS f (flow, sign),
      unnest(ARRAY['DE', 'FR', 'GB', 'BR']) WITH ORDINALITY AS c (country, n)
  `
  yield* sql`INSERT INTO customer_day SELECT day, 70, 60, 50 FROM ${days}`
  yield* sql`INSERT INTO deferred_day SELECT day, 'gateway', 'Datacenter', 9e9 FROM ${days}`
  yield* sql`INSERT INTO liability_day SELECT day, c, 8e9, 1e9 FROM ${days}, unnest(ARRAY['USD', 'STAR']) AS c`
  yield* sql`INSERT INTO renewal_day SELECT day, 'gateway', 'Datacenter', 9, 8, 7, 1 FROM ${days}`
})

const reports = ReportName.literals.flatMap((name) => [`reports/${name}`, `reports/${name}?period=day`])

/** The pages that show something without an id. */
const paths = [
  "",
  "audit",
  "staff",
  "todo",
  "tokens",
  ...reports,
  "reports/sales?by=country",
  "reports/margin?by=channel&period=total",
  "reports/revenue?from=never"
]

/** Chromium, which finds the tested server at its public address. */
const chromium = HttpServer.addressFormattedWith((address) =>
  Chromium.makeWith(`MAP ${new URL(http).host} 127.0.0.1:${new URL(address).port}`)
)

layer(TestApp.layerSandbox, { excludeTestServices: true })("the back office in Chromium", (it) => {
  it.effect(
    "looks right on every page, in both languages",
    () =>
      Effect.gen(function* () {
        yield* figures
        yield* plants
        const { contextWith } = yield* chromium
        const cookie = { name: "staff", value: yield* newSession(yield* newStaff("owner")), url: http }
        const [english, german] = [yield* contextWith({}), yield* contextWith({ locale: "de-DE" })]
        const faults: Array<string> = []
        yield* Effect.promise(async () => {
          await english.addCookies([cookie])
          await german.addCookies([cookie])
          const [page, other] = [await english.newPage(), await german.newPage()]
          for (const path of paths) {
            const name = `admin-${path.replace(/[^a-z0-9_=-]+/g, ".")}`
            await page.goto(`${admin}/${path}`)
            faults.push(...(await Chromium.look(page, name)))
            await other.goto(`${admin}/${path}`)
            faults.push(...(await Chromium.widthFaults(other, `${name}-german`)))
          }
        })
        assert.deepStrictEqual(faults, [])
      }),
    900_000
  )

  it.effect("shows a report by the keyboard alone, and gives its file", () =>
    Effect.gen(function* () {
      const { contextWith } = yield* chromium
      const value = yield* newSession(yield* newStaff("finance"))
      const context = yield* contextWith({ viewport: { width: 390, height: 800 } })
      yield* Effect.promise(async () => {
        await context.addCookies([{ name: "staff", value, url: http }])
        const page = await context.newPage()
        await page.goto(`${admin}/reports`)
        await press(page, page.locator(".tabs").getByRole("link", { name: "Sales" }))
        await page.waitForURL("**/reports/sales?**")
        const period = page.getByLabel("Rows")
        await period.focus()
        assert.isTrue(await isFocused(period))
        await page.keyboard.type("Mon")
        await press(page, page.getByRole("button", { name: "Show" }))
        await page.waitForURL("**period=month**")
        await page.locator("figure.chart svg").waitFor()
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          press(page, page.getByRole("link", { name: "CSV file" }))
        ])
        assert.strictEqual(file.suggestedFilename(), "sales.csv")
      })
    })
  )
})
