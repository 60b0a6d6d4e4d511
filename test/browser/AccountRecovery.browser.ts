import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { assertLooksRight, heading, password, signIn, World } from "./World.ts"

layer(World.layer, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect("a person asks for a new password, and changes the email", () =>
    Effect.gen(function* () {
      const { account, mailed, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { email } = await account()
        await page.goto(`${url}/app/sign-in`)
        await page.getByRole("link", { name: "Forgot your password?" }).click()
        await assertLooksRight(page, "forgot-password")
        await page.getByLabel("Email").fill(email)
        await page.getByRole("button", { name: "Mail me a link" }).click()
        assert.strictEqual(await heading(page), "Look for our mail")
        const link = await mailed(email, "reset-password")
        await page.goto(link)
        await assertLooksRight(page, "reset-password")
        await page.getByLabel("New password").fill(`${password} two`)
        await page.getByRole("button", { name: "Change password" }).click()
        await page.getByRole("status").waitFor()
        await assertLooksRight(page, "password-reset")
        await page.goto(link)
        await page.getByLabel("New password").fill(password)
        await page.getByRole("button", { name: "Change password" }).click()
        assert.strictEqual(await heading(page), "This link does not work")
        await assertLooksRight(page, "link-ended")
        await page.goto(`${url}/app/verify-email?token=unknown`)
        await assertLooksRight(page, "verify-email")
        await page.goto(`${url}/app/sign-in`)
        await signIn(page, email)
        await page.getByRole("alert").waitFor()
        await signIn(page, email, `${password} two`)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        await page.goto(`${url}/app/email`)
        await assertLooksRight(page, "email")
        await page.getByLabel("New email").fill(`${randomUUID().slice(0, 8)}@example.com`)
        // The link of the mail has verified the email.
        await page.locator("[name=password]").fill(`${password} two`)
        await page.getByRole("button", { name: "Change email" }).click()
        await page.locator(".done").waitFor()
        await assertLooksRight(page, "email-changed")
      })
    })
  )
})
