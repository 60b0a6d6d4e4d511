import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import type { Page } from "playwright-core"
import { household } from "../dashboard/FormTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { pageAddresses } from "../support/PageAddresses.ts"
import { dashboardRoutes } from "../support/DashboardRoutes.ts"
import * as TestApp from "../support/TestApp.ts"
import * as Chromium from "./Chromium.ts"

/** Chromium, which finds the tested server at its public address. */
const chromium = HttpServer.addressFormattedWith((address) =>
  Chromium.makeWith(`MAP ${new URL(http).host} 127.0.0.1:${new URL(address).port}`)
)

layer(TestApp.layerSandbox, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect("every page of the dashboard looks right", () =>
    Effect.gen(function* () {
      const person = yield* household
      const { contextWith } = yield* chromium
      const guest = yield* contextWith({})
      const owner = yield* contextWith({})
      const cookies = [...person.browser.cookies].map(([name, value]) => ({ name, value, url: http }))
      yield* Effect.promise(async () => {
        await owner.addCookies(cookies)
        const pages = { door: await guest.newPage(), desk: await owner.newPage() }
        for (const { addresses, isOpen } of Object.values(pageAddresses))
          for (const address of addresses) {
            const at = address.replace(/:([a-z_]+)/g, (_, id: string) => person.ids[id] ?? `(${id})`)
            const page = isOpen ? pages.door : pages.desk
            const answer = await page.goto(`${http}${at}`)
            const t0 = Date.now()
            const faults = await Chromium.look(page, address.replace("/app/", "").replace(/[^a-z0-9_=-]+/g, "."))
            console.log(answer?.status(), page.url().replace(http, ""), Date.now() - t0, await page.locator("h1").first().innerText())
            if (faults.length) console.log(faults.join("\n"))
          }
      })
    })
  )
})
