import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Totp from "../../src/accounts/second-factor/Totp.ts"
import { register } from "./Customer.ts"
import { assertLooksRight, heading, password, signIn, World } from "./World.ts"

/** The code that an authenticator app shows now, or next. */
const codeOf = (secret: string, later = 0) => Totp.codeOf(secret, Totp.stepOf(Date.now()) + later)

/** How a page draws its QR code: a camera needs dark on white, and a few pixels for each module. */
const qrOf = (page: Page) =>
  page.evaluate(`(() => {
    const qr = document.querySelector(".qr")
    const { backgroundColor, stroke, strokeWidth } = getComputedStyle(qr)
    return { backgroundColor, stroke, strokeWidth, width: qr.clientWidth }
  })()`)

const signOut = async (page: Page) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
}

const enterCode = async (page: Page, code: string) => {
  await page.getByRole("textbox", { name: "Code" }).fill(code)
  await page.locator("main button.primary, main button.danger").click()
}

layer(World.layer, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect("a person turns the second factor on, signs in with it, loses the phone, and turns it off", () =>
    Effect.gen(function* () {
      const { mailed, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const email = await register(page, url)
        await page.goto(`${url}/app/account`)
        await page.locator("main").getByRole("link", { name: "Security" }).click()
        await assertLooksRight(page, "security-unverified")
        await page.goto(await mailed(email, "verify-email"))
        await page.getByRole("button", { name: "Verify email" }).click()
        await page.goto(`${url}/app/security`)
        await assertLooksRight(page, "security-off")
        await page.getByRole("textbox", { name: "Password" }).fill(password)
        await page.getByRole("button", { name: "Turn on" }).click()
        await page.waitForURL("**/app/security/setup")
        for (const colorScheme of ["dark", "light"] as const) {
          await page.emulateMedia({ colorScheme })
          const drawn = {
            backgroundColor: "rgb(255, 255, 255)",
            stroke: "rgb(0, 0, 0)",
            strokeWidth: "1px",
            width: 208
          }
          assert.deepStrictEqual(await qrOf(page), drawn)
        }
        await assertLooksRight(page, "security-setup")
        const secret = (await page.locator("#secret").textContent()) ?? ""
        await enterCode(page, codeOf(secret, 9))
        await page.locator("#otp-error").waitFor()
        await assertLooksRight(page, "security-setup-wrong")
        const used = codeOf(secret)
        await enterCode(page, used)
        await page.locator(".done").waitFor()
        await assertLooksRight(page, "security-codes")
        const codes = ((await page.locator("#codes").textContent()) ?? "").split("\n")
        assert.lengthOf(codes, 10)
        // The page stays after a download, so its button works again.
        for (let times = 0; times < 2; times++) {
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Download as text" }).click()
          ])
          assert.strictEqual(file.suggestedFilename(), "recovery-codes.txt")
        }
        await page.getByRole("link", { name: "I have kept them" }).click()
        await page.getByText("You have 10 recovery codes left.").waitFor()
        await assertLooksRight(page, "security-on")

        await signOut(page)
        await page.goto(`${url}/app/sign-in?next=${encodeURIComponent("/app/keys")}`)
        await signIn(page, email)
        assert.strictEqual(await heading(page), "Enter your code")
        await assertLooksRight(page, "sign-in-code")
        await enterCode(page, used)
        await page.getByRole("alert").waitFor()
        await assertLooksRight(page, "sign-in-code-wrong")
        await enterCode(page, codeOf(secret, 1))
        await page.waitForURL("**/app/keys")

        await signOut(page)
        await signIn(page, email)
        const [first = "", second = ""] = codes
        await enterCode(page, first.replaceAll("-", " ").toUpperCase())
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        await page.goto(`${url}/app/security`)
        await page.getByText("You have 9 recovery codes left.").waitFor()
        await page.getByRole("link", { name: "Get new recovery codes" }).click()
        await assertLooksRight(page, "security-renew")
        await page.goto(`${url}/app/security/turn-off`)
        await assertLooksRight(page, "security-turn-off")
        await page.getByRole("textbox", { name: "Password" }).fill(password)
        await enterCode(page, first)
        await page.locator("#otp-error").waitFor()
        await assertLooksRight(page, "security-turn-off-wrong")
        await page.getByRole("textbox", { name: "Password" }).fill(password)
        await enterCode(page, second)
        await page.locator(".done").waitFor()
        await assertLooksRight(page, "security-turned-off")

        await signOut(page)
        await signIn(page, email)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      })
    })
  )
})
