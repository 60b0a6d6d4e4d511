import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Keys from "./Keys.ts"
import { assertLooksRight, heading, password, signIn, World } from "./World.ts"

layer(World.layer, { excludeTestServices: true })("in Chromium", (it) => {
  it.effect("a person signs in, and approves an app without letting it spend", () =>
    Effect.gen(function* () {
      const { account, app, authorize, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { email } = await account()
        const client = await authorize("Proxy Pilot")
        await page.goto(client.at)
        assert.strictEqual(await heading(page), "Sign in to connect Proxy Pilot")
        await assertLooksRight(page, "sign-in")
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password").fill("wrong horse")
        await page.getByRole("button", { name: "Sign in", exact: true }).click()
        assert.strictEqual(await page.getByRole("alert").innerText(), "No account has this email and password.")
        assert.strictEqual(await page.getByLabel("Email").inputValue(), email)
        await assertLooksRight(page, "sign-in-wrong")
        await signIn(page, email)
        assert.strictEqual(await heading(page), "Connect Proxy Pilot to your account?")
        assert.isFalse(await page.getByRole("checkbox").isChecked())
        await assertLooksRight(page, "consent")
        await page.getByRole("button", { name: "Approve" }).click()
        assert.strictEqual(await heading(page), "You can close this window")
        const response = app.calls.at(-1)
        assert.strictEqual(response?.get("state"), "state")
        assert.strictEqual((await client.redeem(response?.get("code") ?? "")).scope, "catalog:read orders:read")
        await page.goBack()
        await page.reload()
        assert.strictEqual(await heading(page), "This request is over")
        await assertLooksRight(page, "over")
        await page.getByRole("link", { name: "Connected apps" }).click()
        assert.strictEqual(await page.getByRole("heading", { level: 2 }).innerText(), "Proxy Pilot")
      })
    })
  )

  it.effect("a newcomer registers and approves with the box, by keyboard alone", () =>
    Effect.gen(function* () {
      const { app, authorize, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const client = await authorize("Proxy Pilot", "/callback", "orders:read orders:write")
        const press = async (...keys: ReadonlyArray<string>) => {
          for (const key of keys) await page.keyboard.press(key)
        }
        // Chromium focuses a field with autofocus after the page's load event.
        const focused = () => page.locator("[autofocus]:focus").waitFor()
        await page.goto(client.at)
        await focused()
        await Keys.press(page, page.getByRole("link", { name: "Create one" }))
        await page.waitForURL("**/register?**")
        await focused()
        await assertLooksRight(page, "register")
        await page.keyboard.type("ada@example")
        await press("Tab")
        await page.keyboard.type(password)
        await press("Enter")
        await page.getByText("Enter an email address").waitFor()
        await assertLooksRight(page, "register-wrong")
        await press("Control+a")
        await page.keyboard.type(`${randomUUID().slice(0, 8)}@example.com`)
        await press("Tab")
        await page.keyboard.type(password)
        await press("Enter")
        await page.waitForURL("**/consent/**")
        await press("Tab", "Space")
        assert.isTrue(await page.getByRole("checkbox").isChecked())
        await assertLooksRight(page, "consent-ticked")
        await press("Tab", "Control+a")
        await page.keyboard.type("x")
        await press("Tab", "Enter")
        await page.getByRole("alert").waitFor()
        assert.isTrue(await page.getByRole("checkbox").isChecked())
        await assertLooksRight(page, "consent-wrong-limit")
        await page.getByLabel("Daily limit").focus()
        await press("Control+a")
        await page.keyboard.type("12.50")
        await press("Tab", "Enter")
        await page.waitForURL(`${app.url}/**`)
        const scope = (await client.redeem(app.calls.at(-1)?.get("code") ?? "")).scope
        assert.strictEqual(scope, "orders:read orders:write")
        await page.goto(`${url}/app/connections`)
        await page.getByText("$12.50").waitFor()
        await assertLooksRight(page, "connections-limit")
        await page.getByRole("link", { name: "Change" }).click()
        await assertLooksRight(page, "app-limit")
        await page.getByLabel("Daily limit").fill("20")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("$20.00").waitFor()
      })
    })
  )

  it.effect("a person declines, and the app gets the answer", () =>
    Effect.gen(function* () {
      const { account, app, authorize, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { email } = await account()
        await page.goto((await authorize("Proxy Pilot")).at)
        await signIn(page, email)
        await page.getByRole("button", { name: "Decline" }).click()
        await page.waitForURL(`${app.url}/**`)
        assert.strictEqual(app.calls.at(-1)?.get("error"), "access_denied")
      })
    })
  )

  it.effect("a person disconnects an app, and its tokens are refused", () =>
    Effect.gen(function* () {
      const { account, app, authorize, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { email } = await account()
        const names = [
          "Proxy Pilot",
          "A rather long name of an app that nobody has ever heard of before, " + "w".repeat(30)
        ]
        for (const name of names) {
          const client = await authorize(name)
          await page.goto(client.at)
          if (name === names[0]) await signIn(page, email)
          await page.getByRole("button", { name: "Approve" }).click()
          await page.waitForURL(`${app.url}/**`)
          await client.redeem(app.calls.at(-1)?.get("code") ?? "")
        }
        await page.goto(`${url}/app/connections`)
        assert.strictEqual(await heading(page), "Connected apps")
        assert.lengthOf(await page.locator("main li").all(), 2)
        await assertLooksRight(page, "connections")
        const another = await page.context().newPage()
        await another.goto(page.url())
        await page.getByRole("button", { name: "Disconnect" }).first().click()
        assert.include(await page.locator("main [role=status]").innerText(), "no longer has access")
        assert.lengthOf(await page.locator("main li").all(), 1)
        await assertLooksRight(page, "connections-after")
        await another.getByRole("button", { name: "Disconnect" }).first().click()
        assert.include(await another.locator("main [role=status]").innerText(), "no longer connected")
        await assertLooksRight(another, "connections-twice")
        await page.getByRole("button", { name: "Disconnect" }).click()
        await page.getByText("No app is connected").waitFor()
        await assertLooksRight(page, "connections-none")
        // The window is narrow after the last look, so the menu is a drawer.
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("button", { name: "Sign out" }).click()
        assert.strictEqual(await heading(page), "Sign in")
        await page.goto(`${url}/app/connections`)
        assert.strictEqual(await heading(page), "Sign in")
      })
    })
  )

  it.effect("an app may redirect to a page of another origin", () =>
    Effect.gen(function* () {
      const { account, authorize, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { email } = await account()
        await page.goto((await authorize("Proxy Pilot", "/onward")).at)
        await signIn(page, email)
        await page.getByRole("button", { name: "Approve" }).click()
        await page.waitForURL("http://localhost:*/done")
      })
    })
  )

  it.effect("the documentation renders without a violation of its policy", () =>
    Effect.gen(function* () {
      const { url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const faults: Array<string> = []
        page.on("pageerror", ({ message }) => faults.push(message))
        page.on("console", (message) => {
          // Browsers ask each host for its icon.
          const isIcon = message.location().url.endsWith("/favicon.ico")
          if (message.type() === "error" && !isIcon) faults.push(message.text())
        })
        await page.exposeFunction("violated", (directive: string, blocked: string) => {
          // A library in the page tests whether it may compile code, and works without.
          if (blocked !== "eval") faults.push(directive)
        })
        await page.addInitScript(
          `document.addEventListener("securitypolicyviolation", (it) => violated(it.violatedDirective, it.blockedURI))`
        )
        const response = await page.goto(`${url}/docs`)
        assert.include(response?.headers()["content-security-policy"], "default-src 'none'")
        await page.getByRole("heading", { name: "Proxy Rental Service" }).first().waitFor()
        await page.getByRole("heading", { name: "Flags" }).first().waitFor()
        await page.getByRole("button", { name: "Test Request" }).first().click()
        await page.getByRole("button", { name: "Send" }).first().waitFor()
        assert.deepStrictEqual(faults, [])
        const elsewhere = page.waitForEvent("console", (message) => message.text().includes("tracker.example"))
        await page.evaluate(`document.body.append(Object.assign(new Image(), { src: "https://tracker.example/" }))`)
        assert.include((await elsewhere).text(), "img-src")
      })
    })
  )

  it.effect("the other pages have the same look", () =>
    Effect.gen(function* () {
      const { account, post, url, visit } = yield* World
      const page = yield* visit
      yield* Effect.promise(async () => {
        const { access_token } = await account()
        await page.goto(`${url}/oauth/authorize?client_id=dcr_unknown`)
        assert.strictEqual(await heading(page), "This app could not be connected")
        await assertLooksRight(page, "error")
        const agent = await post("/agent/auth", { type: "anonymous", requested_credential_type: "api_key" })
        await page.goto(agent.claim_url)
        await assertLooksRight(page, "claim")
        await page.getByLabel("Claim token").fill(agent.claim_token)
        await page.getByLabel("Email").fill(`${randomUUID().slice(0, 8)}@example.com`)
        await page.getByLabel("Password").fill(password)
        await page.getByRole("button", { name: "Claim account" }).click()
        assert.strictEqual(await heading(page), "The account is yours")
        await assertLooksRight(page, "claimed")
        const payment = { amount: 25, currency: "USD", payment_method: "card_gateway" }
        const { payment_url } = await post("/v1/payments/deposits", payment, access_token)
        await page.goto(payment_url)
        await assertLooksRight(page, "payment")
        await page.getByRole("button", { name: "Pay" }).click()
        await page.getByText("Payment complete").waitFor()
        await assertLooksRight(page, "payment-complete")
        await page.goto(`${url}/app/nowhere`)
        assert.strictEqual(await heading(page), "Page not found")
        await assertLooksRight(page, "not-found")
        await page.goto(`${url}/app/sign-in`)
        await page.getByLabel("Email").fill("ada@example.com")
        await page.getByLabel("Password").fill("x".repeat(1_100_000))
        await page.getByRole("button", { name: "Sign in", exact: true }).click()
        assert.strictEqual(await heading(page), "The form is too large")
        await assertLooksRight(page, "too-much")
      })
    })
  )
})
