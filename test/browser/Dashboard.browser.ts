import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { check } from "./Check.ts"
import { pay, register, review, topUp } from "./Customer.ts"
import { World } from "./World.ts"

const run = promisify(execFile)

layer(World.layer, { excludeTestServices: true })("in Chromium, the dashboard", (it) => {
  it.effect("leads from the registration to a proxy that curl uses, to its chart, and to a link for its address", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const violations: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "error") violations.push(message.text())
        })
        await register(page, url)
        await topUp(page, url)
        await review(page, url)
        await pay(page)
        await page.locator("main a[href*='/app/proxies/']").first().click()
        await page.locator("#url").waitFor()
        const address = (await page.locator("#url").textContent()) ?? ""
        const { stdout } = await run("curl", ["-sS", "-m", "10", "-x", address, `${url}/health`])
        assert.notStrictEqual(stdout, "")
        await check(page, "proxy")
        await page.getByRole("button", { name: "Turn auto-renew on" }).click()
        await page.getByText("Auto-renew is on.").waitFor()
        await page.getByRole("button", { name: "Test the proxy" }).click()
        await page.getByText("It works").waitFor()
        await check(page, "proxy-tested")
        // Another period replaces only the chart.
        await page.locator("[name=notes]").fill("half a note")
        await page.getByRole("link", { name: "7 days" }).click()
        await page.locator("#used [aria-current]:focus", { hasText: "7 days" }).waitFor()
        assert.strictEqual(await page.locator("[name=notes]").inputValue(), "half a note")
        assert.include(page.url(), "period=last_7d")
        // The list has a head on wide screens only.
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(`${url}/app/proxies`)
        await page.getByLabel("Choose all on this page").check()
        await page.getByRole("button", { name: "Change the chosen ones" }).click()
        await page.getByRole("button", { name: "See the prices" }).click()
        await page.getByRole("heading", { level: 1, name: "Extend the chosen proxies" }).waitFor()
        await page.goto(`${url}/app/proxies/links`)
        await page.locator("[name=name]").fill("Crawler")
        await page.getByRole("button", { name: "Create the link" }).click()
        const link = (await page.locator("#url").textContent()) ?? ""
        assert.strictEqual((await run("curl", ["-sS", link])).stdout, `${address}\n`)
        assert.deepStrictEqual(violations, [])
      })
    })
  )
})
