import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { isFocused, press, type } from "./Keys.ts"
import { password, World } from "./World.ts"

const menu = (page: Page, name: string) => page.locator("#menu").getByRole("link", { name, exact: true })
const button = (page: Page, name: string | RegExp) => page.locator("main").getByRole("button", { name })
const h1 = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

const signIn = async (page: Page, url: string, email: string) => {
  await page.goto(`${url}/app/sign-in`)
  await type(page, page.getByLabel("Email"), email)
  await type(page, page.getByLabel("Password"), password)
  await page.keyboard.press("Enter")
  await h1(page, "Overview")
}

layer(World.layer, { excludeTestServices: true })("in Chromium, with the keyboard alone", (it) => {
  it.effect("a person signs in, tops up, and buys a proxy", () =>
    Effect.gen(function* () {
      const { account, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        await signIn(page, url, (await account()).email)
        // The first stop leads past the menu.
        await page.keyboard.press("Tab")
        assert.isTrue(await isFocused(page.locator(".skip")))
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        assert.isTrue(await page.evaluate(`document.activeElement.closest("main") !== null`))
        await page.goto(`${url}/app`)
        await press(page, menu(page, "Top up"))
        await h1(page, "Top up your wallet")
        await type(page, page.locator("[name=amount]"), "20")
        await press(page, page.locator("[name=payment_method]").first(), "Space")
        await press(page, page.locator("main button.primary"))
        await page.waitForURL("**/sandbox/pay/**")
        await press(page, page.getByRole("button", { name: "Pay" }))
        await page.getByText("Payment complete").waitFor()
        await page.goto(`${url}/app`)
        await page.locator("#menu .purse b").filter({ hasText: "$20.00" }).waitFor()
        await press(page, menu(page, "Shop"))
        await press(page, page.locator("main a[href*='/app/shop/']").first())
        const periods = page.locator("[name=period_days]")
        await press(page, page.locator("[name=period_days]:checked"), "ArrowDown")
        assert.isTrue((await periods.count()) < 2 || (await periods.nth(1).isChecked()))
        await page.keyboard.press("ArrowUp")
        await press(page, button(page, "Review order"))
        await h1(page, "Review your order")
        await press(page, button(page, /^Pay /))
        const proxy = page.locator("main a[href*='/app/proxies/']").first()
        await press(page, proxy)
        await page.locator("#url").waitFor()
      })
    })
  )

  it.effect("a question takes the focus and gives it back, and so does the menu of a phone", () =>
    Effect.gen(function* () {
      const { account, post, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { access_token, email } = await account()
        await post("/v1/api-keys", { name: "Crawler" }, access_token)
        await signIn(page, url, email)
        await page.goto(`${url}/app/keys`)
        const opener = page.locator("main [popovertarget]").first()
        const question = page.getByRole("dialog")
        for (const leave of ["Enter", "Escape"]) {
          await press(page, opener)
          await question.waitFor()
          assert.isTrue(await page.evaluate(`document.activeElement.closest("[role=dialog]") !== null`))
          await page.keyboard.press(leave)
          await question.waitFor({ state: "hidden" })
          assert.isTrue(await isFocused(opener))
        }
        await press(page, opener)
        await press(page, question.locator("form button"))
        await page.locator(".done").waitFor()
        await page.setViewportSize({ width: 360, height: 800 })
        const drawer = page.getByRole("button", { name: "Menu" })
        await press(page, drawer)
        await press(page, menu(page, "Wallet"))
        await h1(page, "Wallet")
        await press(page, page.getByRole("button", { name: "Menu" }))
        await menu(page, "Wallet").waitFor()
        await page.keyboard.press("Escape")
        assert.isTrue(await isFocused(page.getByRole("button", { name: "Menu" })))
      })
    })
  )
})
