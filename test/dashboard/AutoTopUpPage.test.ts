import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { http } from "./PagesTesting.ts"
import { sendRaw, signedIn } from "./WalletPagesTesting.ts"

const path = "/app/wallet/auto-top-up"
const good = { enabled: "on", threshold: "10", amount: "25", monthly_limit: "100" }

const settingsOf = (token: string) =>
  Effect.map(request("GET", "/v1/wallet/auto-top-up", { user: token }), ({ body, status }) => ({ ...body, status }))

/** A person with a saved card. */
const withCard = Effect.gen(function* () {
  const person = yield* signedIn
  const page_id = person.user_id.replaceAll("-", "_")
  const page = yield* person.browser.open(`${http}${path}?page_id=${page_id}`)
  return { ...person, page, page_id }
})

layer(TestApp.layer())("automatic top-up in the dashboard", (it) => {
  it.effect("leads to the gateway to save a card, and back to the settings", () =>
    Effect.gen(function* () {
      const { browser, open, page_id, user_id } = yield* Effect.map(signedIn, (person) => ({
        ...person,
        page_id: person.user_id.replaceAll("-", "_")
      }))
      assert.include((yield* open("wallet")).text, `href="${path}"`)
      const empty = yield* browser.open(`${http}${path}`)
      assert.include(empty.text, "You have no saved card.")
      assert.notInclude(empty.text, 'name="threshold"')
      const leading = yield* browser.submit({}, { action: `${path}/cards` })
      assert.include(leading.text, `href="https://gateway.test/save/${user_id}"`)
      const back = yield* browser.open(`${http}${path}?page_id=${page_id}`)
      assert.include(back.text, "Your card is saved.")
      // The form proposes "on", so the page says that nothing is on yet.
      assert.include(back.text, "Automatic top-up is off until you save these settings.")
      assert.include(back.text, "Visa •••• 4242")
      assert.notInclude(back.url, "page_id")
    })
  )

  it.effect("stores the settings, and shows them as the API does", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* withCard
      assert.strictEqual((yield* settingsOf(token)).status, 404)
      const saved = yield* browser.submit(good, { action: path })
      assert.include(saved.text, "Automatic top-up is on.")
      assert.notInclude(saved.text, "is off until")
      assert.deepInclude(yield* settingsOf(token), {
        enabled: true,
        threshold: 10,
        amount: 25,
        monthly_limit: 100,
        charged_this_month: 0,
        stopped_by: null,
        not_before: null
      })
      // A German types a comma.
      yield* browser.submit({ ...good, threshold: " 12,50 ", amount: "25,5" }, { action: path })
      assert.deepInclude(yield* settingsOf(token), { enabled: true, threshold: 12.5, amount: 25.5 })
      const off = yield* browser.submit({ ...good, enabled: "off" }, { action: path })
      assert.include(off.text, "Automatic top-up is off.")
      assert.deepInclude(yield* settingsOf(token), { enabled: false })
    })
  )

  for (const [name, change, field, message] of [
    ["a threshold below a dollar", { threshold: "0.5" }, "threshold", "from $1.00 to $1,000.00"],
    ["an amount that is no number", { amount: "lots" }, "amount", "from $5.00 to $1,000.00"],
    ["an amount below the threshold", { threshold: "30" }, "amount", "at least the threshold"],
    ["a threshold with a comma above the amount", { threshold: "25,50" }, "amount", "at least the threshold"],
    ["a limit below the amount", { monthly_limit: "24.99" }, "monthly_limit", "at least the amount of one payment"],
    ["a part of a cent", { amount: "25.001" }, "amount", "with at most two decimals"]
  ] as const)
    it.effect(`refuses ${name}, keeps what was typed, and so does the API`, () =>
      Effect.gen(function* () {
        const { browser, token } = yield* withCard
        const page = yield* browser.submit({ ...good, ...change }, { action: path })
        assert.strictEqual(page.status, 422)
        assert.match(page.text, new RegExp(`id="${field}-error">[^<]*${message.replaceAll("$", "\\$")}`))
        for (const [typed, value] of Object.entries(change))
          assert.match(page.text, new RegExp(`name="${typed}"[^>]*value="${value}"`))
        const { body } = yield* request("GET", "/v1/wallet/cards", { user: token })
        const json = { ...good, ...change, enabled: true, card_id: body.cards[0].id }
        assert.strictEqual((yield* request("PUT", "/v1/wallet/auto-top-up", { user: token, body: json })).status, 422)
        assert.strictEqual((yield* settingsOf(token)).status, 404)
      })
    )

  it.effect("removes a card, and automatic top-up with it", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* withCard
      yield* browser.submit(good, { action: path })
      const { body } = yield* request("GET", "/v1/wallet/cards", { user: token })
      const removed = yield* browser.submit({}, { action: `${path}/cards/${body.cards[0].id}/remove` })
      assert.include(removed.text, "The card is removed.")
      assert.deepInclude(yield* settingsOf(token), { enabled: false, card_id: null })
    })
  )

  it.effect("knows no card of another account, and takes no form without its token", () =>
    Effect.gen(function* () {
      const owner = yield* withCard
      const { body } = yield* request("GET", "/v1/wallet/cards", { user: owner.token })
      const card = body.cards[0].id
      const other = yield* withCard
      const back = yield* other.browser.open(`${http}${path}?page_id=${owner.page_id}`)
      assert.notInclude(back.text, "Your card is saved.")
      const chosen = yield* other.browser.submit({ ...good, card_id: card }, { action: path })
      assert.strictEqual(chosen.status, 404)
      assert.include(chosen.text, "This card is not saved any more.")
      const remove = yield* request("DELETE", `/v1/wallet/cards/${card}`, { user: other.token })
      assert.strictEqual(remove.status, 404)
      for (const forged of [path, `${path}/cards`, `${path}/cards/${card}/remove`])
        assert.strictEqual(
          (yield* sendRaw(owner, forged, new URLSearchParams({ ...good, card_id: card }).toString())).status,
          403
        )
      assert.strictEqual((yield* settingsOf(owner.token)).status, 404)
    })
  )

  it.effect("is closed to API keys", () =>
    Effect.gen(function* () {
      const { token } = yield* withCard
      const created = yield* request("POST", "/v1/api-keys", { user: token, body: { name: "all", scopes: null } })
      for (const [method, at] of [
        ["GET", "/v1/wallet/auto-top-up"],
        ["PUT", "/v1/wallet/auto-top-up"],
        ["GET", "/v1/wallet/cards"],
        ["POST", "/v1/wallet/cards"]
      ] as const) {
        const { status } = yield* request(method, at, {
          headers: { "x-api-key": created.body.key },
          ...(method === "GET" ? {} : { body: {} })
        })
        assert.strictEqual(status, 401, `${method} ${at}`)
      }
    })
  )
})
