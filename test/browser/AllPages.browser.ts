import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import type { Page } from "playwright-core"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import { http, password } from "../dashboard/PagesTesting.ts"
import { dashboardRoutes } from "../support/DashboardRoutes.ts"
import { pageAddresses } from "../support/PageAddresses.ts"
import * as TestApp from "../support/TestApp.ts"
import * as Chromium from "./Chromium.ts"
import { estate } from "./Estate.ts"

/** Routes that answer with a file, or lead elsewhere. */
const withoutPage = [
  /^\/$/,
  /^\/app\/assets\//,
  /^\/app\/language\//,
  /^\/app\/proxies.*\/export$/,
  /\.(?:csv|pdf)$/,
  /^\/app\/security\/passkeys$/,
  /^\/app\/wallet\/transactions\/:transaction_id\/invoice$/
]

/** Chromium, which finds the tested server at its public address. */
const chromium = HttpServer.addressFormattedWith((address) =>
  Chromium.makeWith(`MAP ${new URL(http).host} 127.0.0.1:${new URL(address).port}`)
)

const primary = (page: Page) => page.locator("main button.primary").last().click()

const h1 = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()

type Look = (page: Page, name: string) => Promise<void>

/** Opens the pages to which forms of a signed-in person lead. */
const atDesk = async (page: Page, email: string, look: Look) => {
  await page.goto(`${http}/app/keys`)
  await page.locator("[name=name]").fill("Crawler")
  await page.locator("[name=access][value=full]").check()
  await primary(page)
  await page.locator("#key").waitFor()
  await look(page, "keys-created")
  await page.goto(`${http}/app/webhooks`)
  await page.locator("[name=url]").fill("https://hooks.example.com/another")
  await primary(page)
  await page.locator("#secret").waitFor()
  await look(page, "webhook-created")
  await page.goto(`${http}/app/proxies/links`)
  await page.locator("[name=name]").fill("Crawler")
  await primary(page)
  await page.locator("#url").waitFor()
  await look(page, "link-created")
  await page.goto(`${http}/app/security`)
  await page.locator("[name=password]").first().fill(password)
  await page.getByRole("button", { name: "Turn on" }).click()
  await page.waitForURL("**/app/security/setup")
  await look(page, "security-setup")
  const secret = (await page.locator("#secret").textContent()) ?? ""
  await page.locator("[name=otp]").fill(Totp.codeOf(secret, Totp.stepOf(Date.now())))
  await primary(page)
  await page.locator("#codes").waitFor()
  await look(page, "security-codes")
  for (const path of ["security", "security/recovery-codes", "security/turn-off"]) {
    await page.goto(`${http}/app/${path}`)
    await look(page, `${path.replace("/", "-")}-on`)
  }
  await page.goto(`${http}/app/wallet/billing`)
  await page.locator("[name=name]").fill("typed")
  await page.context().clearCookies()
  await primary(page)
  await h1(page, /signed out/)
  await look(page, "signed-out")
  await page.goto(`${http}/app/sign-in`)
  await page.locator("[name=email]").fill(email)
  await page.locator("[name=password]").fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.waitForURL("**/app/sign-in/code")
  await look(page, "sign-in-code")
}

/** Opens the pages of faults that a person without a session sees. */
const atDoor = async (page: Page, look: Look) => {
  await page.goto(`${http}/app/sign-in`)
  await page.locator("[name=email]").fill("nobody@example.com")
  await page.locator("[name=password]").fill("wrong horse")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("alert").waitFor()
  await look(page, "sign-in-wrong")
  await page.goto(`${http}/app/register`)
  await page.locator("[name=email]").fill("ada@example")
  await page.locator("[name=password]").fill(password)
  await primary(page)
  await page.getByText("Enter an email address").first().waitFor()
  await look(page, "register-wrong")
  await page.goto(`${http}/app/nowhere`)
  await h1(page, "Page not found")
  await look(page, "not-found")
  await page.goto("about:blank")
  await page.setContent(`<form method="post" action="${http}/app/sign-in"><button>Send</button></form>`)
  await page.getByRole("button").click()
  await h1(page, "This form came from another site")
  await look(page, "foreign-form")
}

layer(TestApp.layerSandbox, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect(
    "every page of the dashboard looks right",
    () =>
      Effect.gen(function* () {
        const { account, browser, ids } = yield* estate
        const { contextWith } = yield* chromium
        const guest = yield* contextWith({})
        const owner = yield* contextWith({})
        const german = {
          guest: yield* contextWith({ locale: "de-DE" }),
          owner: yield* contextWith({ locale: "de-DE" })
        }
        const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url: http }))
        const visited = new Set<string>()
        const faults: Array<string> = []

        const look: Look = async (page, name) => {
          visited.add(new URL(page.url()).pathname)
          faults.push(...(await Chromium.look(page, name)))
          const bytes = Buffer.byteLength(await page.content())
          if (bytes > 100_000) faults.push(`${name}: ${bytes} bytes`)
        }

        const lookGerman: Look = async (page, name) =>
          void faults.push(...(await Chromium.widthFaults(page, `${name}-german`)))

        const visit = async (page: Page, isOpen: boolean, look: Look) => {
          const wanted = Object.values(pageAddresses).filter((row) => row.isOpen === isOpen)
          for (const address of wanted.flatMap(({ addresses }) => addresses)) {
            const at = address.replace(/:([a-z_]+)/g, (_, id: string) => ids[id] ?? "")
            const answer = await page.goto(`${http}${at}`)
            assert.strictEqual(answer?.ok(), !address.includes("unknown"), `${address}: ${answer?.status()}`)
            assert.strictEqual(new URL(page.url()).pathname, at.split("?")[0])
            await look(page, address.replace("/app/", "").replace(/[^a-z0-9_=-]+/g, "."))
          }
        }

        yield* Effect.promise(async () => {
          await owner.addCookies(cookies)
          await german.owner.addCookies(cookies)
          const [open, desk] = [await guest.newPage(), await owner.newPage()]
          const others = async () => {
            await visit(open, true, look)
            await atDoor(open, look)
            await visit(await german.guest.newPage(), true, lookGerman)
            await visit(await german.owner.newPage(), false, lookGerman)
          }
          await Promise.all([visit(desk, false, look), others()])
          await atDesk(desk, account.email, look)
        })
        assert.deepStrictEqual(faults, [])
        const routes = (yield* dashboardRoutes("GET")).filter((route) => !withoutPage.some((file) => file.test(route)))
        assert.deepStrictEqual(Object.keys(pageAddresses).toSorted(), routes, "the table of the pages")
        const unseen = routes.filter((route) => {
          const pattern = new RegExp(`^${route.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")}$`)
          return ![...visited].some((path) => pattern.test(path))
        })
        assert.deepStrictEqual(unseen, [])
      }),
    // Every page in every size takes minutes on a busy machine.
    900_000
  )
})
