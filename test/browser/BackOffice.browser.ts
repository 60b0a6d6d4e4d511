import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { inject } from "vitest"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import { pay, register, review, topUp } from "./Customer.ts"
import { World } from "./World.ts"

const run = promisify(execFile)
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const password = "a good password"

/** Adds a staff member with the command, as the operator does; answers the link. */
const invited = async (role: "owner" | "support") => {
  const { directory, url } = inject("service")
  const email = `${role}-${randomUUID().slice(0, 8)}@example.com`
  const env = { PATH: process.env["PATH"], DATA_DIR: directory, PUBLIC_URL: url }
  const { stdout } = await run(process.execPath, [main, "staff", "add", "--email", email, "--role", role], { env })
  return { email, link: /https?:\S+/.exec(stdout)?.[0] ?? "" }
}

const h1 = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()
const primary = (page: Page) => page.locator("main button.primary").last().click()

/** Accepts the invitation and signs in with a new authenticator app. */
const begin = async (page: Page, admin: string, role: "owner" | "support") => {
  const { email, link } = await invited(role)
  await page.goto(link)
  await page.locator("[name=password]").fill(password)
  await page.locator("main button").last().click()
  await h1(page, "Your password is set")
  await page.goto(`${admin}/sign-in`)
  await page.locator("[name=email]").fill(email)
  await page.locator("[name=password]").fill(password)
  await page.locator("main button").last().click()
  await h1(page, "Set up your authenticator app")
  const secret = /secret=([A-Z2-7]{32})/.exec(await page.content())?.[1] ?? ""
  await page.locator("[name=otp]").fill(Totp.codeOf(secret, Totp.stepOf(Date.now())))
  await page.locator("main button").last().click()
  await h1(page, "Your recovery codes")
  await page.goto(admin)
  await h1(page, "Overview")
}

/** Types an amount and a reason. */
const type = async (page: Page, amount: string, reason: string) => {
  await page.locator("[name=amount]").fill(amount)
  await page.locator("[name=reason]").fill(reason)
}

layer(World.layer, { excludeTestServices: true })("in Chromium, the back office", (it) => {
  it.effect("lets support find a customer by an order, credit and refund within the limit, and records it", () =>
    Effect.gen(function* () {
      const { url, visit, visitWith } = yield* World
      const [shopper, desk] = [yield* visit, yield* visitWith({ javaScriptEnabled: false })]
      const boss = yield* visitWith({})
      const admin = `${url}/admin`
      yield* Effect.promise(async () => {
        const email = await register(shopper, url)
        await topUp(shopper, url)
        await review(shopper, url)
        await pay(shopper)
        const order = /proxies\/([\w-]{36})/.exec(
          (await shopper.locator("main a[href*='/app/proxies/']").first().getAttribute("href")) ?? ""
        )?.[1]
        assert.isDefined(order)

        await begin(desk, admin, "support")
        await desk.getByRole("link", { name: "Customers" }).click()
        await desk.locator("[name=q]").fill(order!)
        await primary(desk)
        await desk.getByRole("link", { name: email }).click()
        await h1(desk, email)

        await desk.getByRole("link", { name: "Credit or debit" }).click()
        await type(desk, "5", "Down for a day, 5 dollars")
        await primary(desk)
        await desk.getByText("$5.00: booked.").waitFor()
        await desk.getByRole("link", { name: "Credit or debit" }).click()
        await type(desk, "10.01", "More than support gives alone")
        await primary(desk)
        await desk.getByText("Nothing is booked yet.").waitFor()

        await desk.goto(`${admin}/orders/${order}/refund`)
        const paid = Number(/Paid \$([\d.]+)/.exec(await desk.locator("main").innerText())?.[1])
        const half = (paid / 2).toFixed(2)
        await type(desk, half, "Half of it was slow")
        await primary(desk)
        await h1(desk, "Refund this?")
        await desk.getByRole("button", { name: `Refund $${half}` }).click()
        await desk.getByText(`$${half}: booked.`).waitFor()
        // The form, sent once more, acts once.
        await desk.reload()
        await desk.getByText("it acted once").waitFor()
        assert.strictEqual((await desk.goto(`${admin}/audit`))?.status(), 403)

        await shopper.goto(`${url}/app/wallet`)
        const expected = (20 - paid + 5 + Number(half)).toFixed(2)
        await shopper.locator(".figure", { hasText: `$${expected}` }).waitFor()

        await begin(boss, admin, "owner")
        await boss.goto(`${admin}/audit`)
        const log = await boss.locator("main").innerText()
        for (const event of [
          "adjustment.goodwill",
          "Down for a day, 5 dollars",
          "refund.create",
          "Half of it was slow"
        ])
          assert.include(log, event)
        await boss.goto(`${admin}/requests`)
        const request = boss.getByRole("row", { name: /More than support gives alone/ })
        await request.getByRole("button", { name: "Decline" }).click()
        await boss.getByText("The request is declined.").waitFor()
        assert.strictEqual(await request.count(), 0)
      })
    })
  )
})
