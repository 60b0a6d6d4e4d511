import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import { pay, register, review, topUp } from "./Customer.ts"
import { password, World } from "./World.ts"

const run = promisify(execFile)

layer(World.layer, { excludeTestServices: true })("in Chromium, without scripts", (it) => {
  it.effect(
    "a person buys a proxy that curl uses, extends and exports it, and gets a key, a webhook and a second factor",
    () =>
      Effect.gen(function* () {
        const { mailed, url, visitWith } = yield* World
        const page = yield* visitWith({ javaScriptEnabled: false })
        yield* Effect.promise(async () => {
          const email = await register(page, url)
          await topUp(page, url)
          await review(page, url)
          await pay(page)
          await page.locator("main a[href*='/app/proxies/']").first().click()
          const address = (await page.locator("#url").textContent()) ?? ""
          assert.notStrictEqual((await run("curl", ["-sS", "-m", "10", "-x", address, `${url}/health`])).stdout, "")
          await page.getByRole("button", { name: "See the price" }).click()
          await page.getByRole("button", { name: /^Pay / }).click()
          await page.getByText("The proxy is extended.").waitFor()
          await page.goto(`${url}/app/proxies`)
          const saving = page.locator("form[action$='/proxies/export']")
          const [file] = await Promise.all([page.waitForEvent("download"), saving.getByRole("button").click()])
          assert.strictEqual(await readFile(await file.path(), "utf8"), `${address}\n`)
          await page.goto(`${url}/app/keys`)
          await page.locator("[name=name]").fill("Crawler")
          await page.locator("[name=access][value=full]").check()
          await page.locator("main button.primary").click()
          const key = (await page.locator("#key").textContent()) ?? ""
          const listed = await fetch(`${url}/v1/orders`, { headers: { "x-api-key": key } })
          assert.strictEqual(listed.status, 200)
          await page.goto(`${url}/app/webhooks`)
          await page.locator("[name=url]").fill("https://1.1.1.1/proxies")
          await page.locator("main button.primary").click()
          await page.locator("#secret").waitFor()
          await page.goto(await mailed(email, "verify-email"))
          await page.getByRole("button", { name: "Verify email" }).click()
          await page.goto(`${url}/app/security`)
          await page.locator("[name=password]").first().fill(password)
          await page.getByRole("button", { name: "Turn on" }).click()
          const secret = (await page.locator("#secret").textContent()) ?? ""
          await page.locator("[name=otp]").fill(Totp.codeOf(secret, Totp.stepOf(Date.now())))
          await page.locator("main button.primary").click()
          assert.lengthOf(((await page.locator("#codes").textContent()) ?? "").split("\n"), 10)
        })
      })
  )
})
