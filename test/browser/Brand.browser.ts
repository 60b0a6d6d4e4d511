import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { example, folderWith } from "../brand/BrandTesting.ts"
import * as RunningService from "../support/RunningService.ts"
import * as Chromium from "./Chromium.ts"

const wideLogo = `<svg viewBox="0 0 400 20"><rect width="400" height="20" fill="currentColor"/></svg>`

const long =
  "Acme Networks Gesellschaft mit beschränkter Haftung, HRB 12345 B, Amtsgericht Charlottenburg, VAT DE123456789"

/** The service as it runs with the brand of an operator, and a browser. */
class World extends Context.Service<World>()("test/browser/BrandWorld", {
  make: Effect.gen(function* () {
    const BRAND_DIR = yield* folderWith({
      ...example,
      "brand.json": (example["brand.json"] ?? "").replace(/("company": ")[^"]*/, `$1${long}`),
      "logo.svg": wideLogo
    })
    const service = yield* RunningService.makeWith({ env: { BRAND_DIR } })
    yield* service.start
    const { contextWith } = yield* Chromium.make
    const visit = Effect.flatMap(contextWith({}), (context) => Effect.promise(() => context.newPage()))
    return { url: service.url, output: service.output, visit }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

layer(World.layer, { excludeTestServices: true })("in Chromium, a brand", (it) => {
  it.effect("looks right on every page, and breaks no rule of the pages' policy", () =>
    Effect.gen(function* () {
      const { output, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const violations: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "error" && message.text().includes("Content Security Policy"))
            violations.push(message.text())
        })
        for (const name of ["sign-in", "register", "forgot-password", "legal/terms"]) {
          await page.goto(`${url}/app/${name}`)
          assert.deepStrictEqual(await Chromium.look(page, `brand-${name.replace("/", "-")}`), [])
          const accent = await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue("--accent")`)
          assert.strictEqual(accent, "light-dark(#0b6b4f, #5fd3ac)")
        }
        await page.goto(`${url}/app/sign-in`)
        const logo = await page.locator("header svg").boundingBox()
        assert.isAbove(logo?.height ?? 0, 20)
        assert.isAtMost(logo?.width ?? 1000, 320)
        await page.getByRole("link", { name: "Terms of service" }).click()
        await page.getByRole("heading", { name: "Terms of service" }).waitFor()
        assert.deepStrictEqual(violations, [])
      })
      assert.include(output(), "Acme Proxies is ready.")
    })
  )
})
