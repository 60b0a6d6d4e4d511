import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { password } from "./World.ts"

// What a customer does in the dashboard, step by step.

/** Registers a person and returns the email. */
export const register = async (page: Page, url: string): Promise<string> => {
  const email = `${randomUUID().slice(0, 8)}@example.com`
  await page.goto(`${url}/app/register`)
  await page.getByLabel("Email").fill(email)
  await page.locator("[name=password]").fill(password)
  await page.getByRole("button", { name: "Create account" }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  return email
}

/** Puts $20 into the wallet, and waits for them. */
export const topUp = async (page: Page, url: string): Promise<void> => {
  await page.goto(`${url}/app/wallet/top-up`)
  await page.locator("[name=amount]").fill("20")
  await page.locator("main button.primary").click()
  await page.waitForURL("**/sandbox/pay/**")
  await page.getByRole("button", { name: "Pay" }).click()
  const funds = page.locator(".funds, .purse b").filter({ hasText: "$20.00" })
  for (let tries = 0; tries < 20; tries++) {
    await page.goto(`${url}/app/wallet`)
    if ((await funds.count()) > 0) return
    await page.waitForTimeout(500)
  }
  throw new Error("the payment has not arrived")
}

/** Opens the review of an order for the first offer. */
export const review = async (page: Page, url: string): Promise<void> => {
  await page.goto(`${url}/app/shop`)
  await page.locator("main a[href*='/app/shop/']").first().click()
  await page.getByRole("button", { name: "Review order" }).click()
  await payButton(page).waitFor()
}

export const payButton = (page: Page) => page.getByRole("button", { name: /^Pay / })

/** Pays for the reviewed order, and waits for its page. */
export const pay = async (page: Page): Promise<void> => {
  await payButton(page).click()
  await page.locator("main a[href*='/app/proxies/']").first().waitFor()
}
