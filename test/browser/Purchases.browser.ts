import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { pay, payButton, register, review, topUp } from "./Customer.ts"
import { heading, signIn, World } from "./World.ts"

/** The number of proxies in the list. */
const proxies = async (page: Page, url: string) => {
  await page.goto(`${url}/app/proxies`)
  return page.locator("main a[href*='/app/proxies/0']").count()
}

const balance = async (page: Page, url: string) => {
  await page.goto(`${url}/app/wallet`)
  return page.locator(".funds, .purse b").first().innerText()
}

layer(World.layer, { excludeTestServices: true })("in Chromium, a purchase", (it) => {
  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? "with scripts" : "without scripts"

    it.effect(`is made once, although its button is pressed twice, and in two tabs, and again later, ${scripts}`, () =>
      Effect.gen(function* () {
        const { url, visitWith } = yield* World
        const page = yield* visitWith({ javaScriptEnabled })
        yield* Effect.promise(async () => {
          await register(page, url)
          await topUp(page, url)
          await review(page, url)
          const address = page.url()
          const tab = await page.context().newPage()
          await tab.goto(address)
          await payButton(tab).waitFor()
          const late = await page.context().newPage()
          await late.goto(address)
          await payButton(late).waitFor()
          await Promise.all([payButton(page).dblclick({ noWaitAfter: true }), payButton(tab).click()])
          await page.locator("main a[href*='/app/proxies/']").first().waitFor()
          await tab.locator("main a[href*='/app/proxies/']").first().waitFor()
          await page.reload()
          await pay(late)
          assert.strictEqual(late.url(), page.url())
          const left = await balance(page, url)
          await page.goto(address)
          assert.strictEqual(page.url(), late.url())
          assert.strictEqual(await proxies(page, url), 1)
          assert.strictEqual(await balance(page, url), left)
        })
      })
    )
  }

  it.effect("has the price of the last choice, although the price of an earlier one comes later", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        await register(page, url)
        await page.goto(`${url}/app/shop`)
        await page.locator("main a[href*='/app/shop/']").first().click()
        const { promise: held, resolve: release } = Promise.withResolvers<void>()
        await page.route(/quantity=2/, async (route) => {
          await held
          await route.continue()
        })
        const chosen = async (quantity: string) => {
          await page.locator("[name=quantity]").fill(quantity)
          await page.keyboard.press("Tab")
        }
        const price = page.locator("#quote")
        const late = page.waitForResponse(/quantity=2/)
        await chosen("2")
        await chosen("3")
        await price.getByText("3 ×").waitFor()
        release()
        await (await late).finished()
        await page.waitForTimeout(200)
        assert.include(await price.innerText(), "3 ×")
      })
    })
  )

  it.effect("of more time is made once, although it is confirmed in two tabs", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        await register(page, url)
        await topUp(page, url)
        await review(page, url)
        await pay(page)
        await page.locator("main a[href*='/app/proxies/']").first().click()
        await page.getByRole("button", { name: "See the price" }).click()
        await payButton(page).waitFor()
        const tab = await page.context().newPage()
        const held = async () => Number(/[\d.]+/.exec(await balance(tab, url))?.[0])
        const before = await held()
        await tab.goto(page.url())
        const price = Number(/[\d.]+/.exec(await payButton(tab).innerText())?.[0])
        await payButton(page).click()
        await page.getByText("The proxy is extended.").waitFor()
        await payButton(tab).click()
        await tab.getByText("This proxy was extended or changed after you opened the page").waitFor()
        assert.closeTo(await held(), before - price, 0.001)
      })
    })
  )

  it.effect("keeps what was typed when the session ends before it is sent", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const email = await register(page, url)
        await topUp(page, url)
        await review(page, url)
        const notes = 'for <b>"two"</b> & more'
        await page.locator("[name=notes]").fill(notes)
        await page.context().clearCookies()
        await payButton(page).click()
        assert.include(await heading(page), "signed out")
        const tab = await page.context().newPage()
        await tab.goto(`${url}/app/sign-in`)
        await signIn(tab, email)
        await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        await page.locator("form button").first().click()
        assert.strictEqual(await page.locator("[name=notes]").inputValue(), notes)
        await pay(page)
        assert.strictEqual(await proxies(page, url), 1)
      })
    })
  )
})
