import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { admin } from "../back-office/BackOfficeTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { newSession, newStaff } from "../staff/StaffTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import * as Chromium from "./Chromium.ts"
import { isFocused, press } from "./Keys.ts"
import { soldYear } from "./SoldYear.ts"

/** Chromium, which finds the tested server at its public address. */
const chromium = HttpServer.addressFormattedWith((address) =>
  Chromium.makeWith(`MAP ${new URL(http).host} 127.0.0.1:${new URL(address).port}`)
)

layer(TestApp.layerSandbox, { excludeTestServices: true })("the reports in Chromium", (it) => {
  it.effect("show a year by the keyboard alone, and give its file", () =>
    Effect.gen(function* () {
      yield* soldYear
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
