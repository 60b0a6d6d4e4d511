import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CDPSession, Page } from "playwright-core"
import { register } from "./Customer.ts"
import { assertLooksRight, password, signIn, World } from "./World.ts"

/** Gives the page an authenticator that answers by itself. */
const plugIn = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("WebAuthn.enable")
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return { cdp, authenticatorId }
}

type Authenticator = Awaited<ReturnType<typeof plugIn>>

/** Chooses if the person confirms with the authenticator. */
const confirms = ({ authenticatorId, cdp }: Authenticator, isUserVerified: boolean) =>
  cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })

const credentialsOf = async ({ authenticatorId, cdp }: { cdp: CDPSession; authenticatorId: string }) =>
  (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials

const signOut = async (page: Page) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
}

const addPasskey = async (page: Page, url: string) => {
  await page.goto(`${url}/app/security`)
  await page.getByRole("link", { name: "Add a passkey" }).click()
  await page.getByRole("textbox", { name: "Password" }).fill(password)
  await page.getByRole("button", { name: "Next" }).click()
  await page.getByRole("button", { name: "Make the passkey" }).waitFor()
}

layer(World.layer, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect("a person adds a passkey, signs in with it, also for an app, and removes it", () =>
    Effect.gen(function* () {
      const { app, authorize, mailed, url, visit } = yield* World
      const page = yield* visit
      const problems: Array<string> = []
      yield* Effect.promise(async () => {
        // The authenticator would answer the offer in the field of the email by itself.
        await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
        page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
        const email = await register(page, url)
        await page.goto(await mailed(email, "verify-email"))
        await page.locator("main button").first().click()
        const authenticator = await plugIn(page)
        await addPasskey(page, url)
        await assertLooksRight(page, "passkey-make")
        await page.getByRole("textbox", { name: "Name" }).fill("My laptop")
        await confirms(authenticator, false)
        await page.getByRole("button", { name: "Make the passkey" }).click()
        await page.getByRole("alert").filter({ hasText: "Your browser made no passkey." }).waitFor()
        // The style of a hovered button is none that the check can read.
        await page.mouse.move(0, 0)
        await assertLooksRight(page, "passkey-make-failed")
        await confirms(authenticator, true)
        await page.getByRole("button", { name: "Make the passkey" }).click()
        await page.getByText("The passkey was added.").waitFor()
        await assertLooksRight(page, "security-passkeys")
        assert.lengthOf(await credentialsOf(authenticator), 1)

        await addPasskey(page, url)
        await page.getByRole("button", { name: "Make the passkey" }).click()
        await page.getByText("This device already has a passkey of your account.").waitFor()

        await signOut(page)
        await page.goto(`${url}/app/sign-in?next=${encodeURIComponent("/app/keys")}`)
        await assertLooksRight(page, "sign-in-passkey")
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await page.waitForURL("**/app/keys")

        await signOut(page)
        const { at, redeem } = await authorize("Passkey Pilot")
        await page.goto(at)
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await page.waitForURL("**/app/consent/**")
        await page.getByRole("button", { name: "Approve" }).click()
        await page.waitForURL(`${app.url}/**`)
        assert.isString((await redeem(app.calls.at(-1)?.get("code") ?? "")).access_token)

        await page.goto(`${url}/app/security`)
        await page.getByRole("link", { name: "Change My laptop" }).click()
        await assertLooksRight(page, "passkey")
        await page.getByRole("textbox", { name: "Name" }).fill("Old laptop")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByRole("link", { name: "Change Old laptop" }).click()
        await page.getByRole("link", { name: "Remove" }).click()
        await assertLooksRight(page, "passkey-remove")
        await page.getByRole("textbox", { name: "Password" }).fill(password)
        await page.getByRole("button", { name: "Remove the passkey" }).click()
        await page.getByText("The passkey was removed.").waitFor()

        await signOut(page)
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await page.getByRole("alert").filter({ hasText: "This passkey does not work here." }).waitFor()
        await assertLooksRight(page, "sign-in-passkey-refused")
        await signIn(page, email)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        // Chromium reports the pages with a 401 as errors.
        assert.deepStrictEqual(
          problems.filter((problem) => !problem.includes("401")),
          []
        )
      })
    })
  )

  it.effect("the browser offers passkeys in the field of the email", () =>
    Effect.gen(function* () {
      const { mailed, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const email = await register(page, url)
        await page.goto(await mailed(email, "verify-email"))
        await page.locator("main button").first().click()
        await plugIn(page)
        await addPasskey(page, url)
        await page.getByRole("button", { name: "Make the passkey" }).click()
        await page.getByText("The passkey was added.").waitFor()
        await page.getByRole("button", { name: "Sign out" }).click()
        // The authenticator answers the offer by itself.
        await page.waitForURL(/\/app$/)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        // It also answers with a passkey that was removed. The page that refuses it does not offer it again by itself.
        await page.goto(`${url}/app/security`)
        await page.locator("a[href*='/security/passkeys/']").first().click()
        await page.getByRole("link", { name: "Remove" }).click()
        await page.getByRole("textbox", { name: "Password" }).fill(password)
        await page.getByRole("button", { name: "Remove the passkey" }).click()
        await page.getByText("The passkey was removed.").waitFor()
        let refused = 0
        page.on("response", (answer) => answer.status() === 401 && (refused += 1))
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByRole("alert").filter({ hasText: "This passkey does not work here." }).waitFor()
        await page.waitForTimeout(1000)
        assert.strictEqual(refused, 1)
        await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor()
      })
    })
  )

  it.effect("a browser without scripts shows no passkeys, and signs in with the password", () =>
    Effect.gen(function* () {
      const { account, url, visitWith } = yield* World
      const page = yield* visitWith({ javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        const { email } = await account()
        await page.goto(`${url}/app/sign-in`)
        assert.isFalse(await page.getByText("Sign in with a passkey").isVisible())
        await signIn(page, email)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      })
    })
  )

  it.effect("a browser without a passkey says so, and asks again", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        await plugIn(page)
        await page.goto(`${url}/app/sign-in`)
        for (let tries = 0; tries < 2; tries++) {
          await page.getByRole("button", { name: "Sign in with a passkey" }).click()
          await page.getByRole("alert").filter({ hasText: "Your browser did not use a passkey." }).waitFor()
        }
        await page.mouse.move(0, 0)
        await assertLooksRight(page, "sign-in-passkey-failed")
      })
    })
  )
})
