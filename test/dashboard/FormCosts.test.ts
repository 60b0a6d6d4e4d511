import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FormToken from "../../src/pages/FormToken.ts"
import { bodyLimit } from "../../src/platform/requests/BodyLimit.ts"
import { dashboardRoutes } from "../support/DashboardRoutes.ts"
import * as TestApp from "../support/TestApp.ts"
import { addressOf, formFields, purposeOf } from "./FormFieldsTable.ts"
import { household } from "./FormTesting.ts"
import { http } from "./PagesTesting.ts"

/** Elements of a list, each with what ends it. */
const elements = ["x,", "x\n", "a:b\n"]

/** Elements that are decoded one by one take several times as long. */
const mostMillis = 100
/** Other programs of the machine make some of them slow. */
const tries = 5

/** Forms that end the session of the person. */
const isEnding = (route: string) => /deletion|sessions|sign-out|password|email|security/.test(route)

layer(TestApp.layerSandbox, { timeout: "10 minutes" })("A field of a form of the dashboard", (it) => {
  it.effect("costs little, however many elements the list in it has", () =>
    Effect.gen(function* () {
      const person = yield* household
      const { browser } = person
      const cookies = [...browser.cookies]
      for (const route of (yield* dashboardRoutes("POST")).filter((route) => !isEnding(route))) {
        const form_token = FormToken.make(browser.cookies.get("browser") ?? "", purposeOf(route, person))
        const right = { ...(formFields[route]?.fields(person) as Record<string, string>), form_token }
        for (const name of Object.keys(right))
          for (const element of elements) {
            const room = Number(bodyLimit) - new URLSearchParams(right).toString().length
            const text = element.repeat(Math.floor(room / encodeURIComponent(element).length))
            const times: Array<number> = []
            while (times.length < tries && !times.some((millis) => millis < mostMillis)) {
              for (const [cookie, value] of cookies) browser.cookies.set(cookie, value)
              const start = performance.now()
              const page = yield* browser.post(`${http}${addressOf(route, person)}`, { ...right, [name]: text })
              times.push(performance.now() - start)
              assert.notInclude([413, 500], page.status, `${route} ${name}`)
            }
            assert.isBelow(Math.min(...times), mostMillis, `${route} ${name} ${JSON.stringify(element)}`)
          }
      }
    })
  )
})
