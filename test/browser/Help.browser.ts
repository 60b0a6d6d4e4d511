import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { guides } from "../../src/dashboard/help/Guides.ts"
import { check } from "./Check.ts"
import { heading, World } from "./World.ts"

layer(World.layer, { excludeTestServices: true })("in Chromium, the help", (it) => {
  it.effect("can be read without an account, on a phone and on a desk", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const errors: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(message.text())
        })
        await page.goto(`${url}/app/sign-in`)
        await page.getByRole("link", { name: "Status" }).click()
        assert.strictEqual(await heading(page), "Status")
        await check(page, "status")
        await page.getByRole("link", { name: "Guides" }).click()
        assert.strictEqual(await heading(page), "Guides")
        await check(page, "guides")
        for (const { name } of guides) {
          await page.goto(`${url}/docs/guides/${name}`)
          await check(page, `guide-${name}`)
        }
        await page.goto(`${url}/docs/guides/api`)
        await page.getByText("On this page").click()
        await page.getByRole("link", { name: "Idempotency" }).click()
        assert.isTrue(page.url().endsWith("#idempotency"))
        assert.deepStrictEqual(errors, [])
      })
    })
  )
})
