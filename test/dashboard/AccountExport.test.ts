import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { accountTables } from "../../src/accounts/users/AccountTables.ts"
import { SavedCards } from "../../src/wallet/auto-top-up/SavedCards.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { connect } from "../oauth/AuthorizationTesting.ts"
import { fund } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import * as OrderRows from "../support/OrderRows.ts"
import { payDeposit } from "../support/PaidDeposit.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { faultsOf, hostile, signedIn } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"

const atExport = Effect.tap(signedIn, ({ at }) => at("account/export"))

let owners = 0

/** A person who owns one of everything, and the secrets that no file may hold. */
const owner = Effect.gen(function* () {
  const person = yield* signedIn
  const { account, user_id } = person
  const { token: user } = account
  const sql = yield* SqlClient.SqlClient
  yield* fund(user_id, 25_000_000n)
  yield* fund(user_id, 1_500n, "STAR")
  const order_id = randomUUID()
  yield* OrderRows.offer
  yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(order_id, user_id, yield* DateTime.now))}`
  const { body: key } = yield* request("POST", "/v1/api-keys", { user, body: { name: hostile.slice(0, 60) } })
  const { body: hook } = yield* request("POST", "/v1/webhooks", { user, body: { url: "https://example.com/" } })
  const { body: deposit } = yield* request("POST", "/v1/payments/deposits", {
    user,
    body: { amount: 5, currency: "USD", payment_method: "card_gateway" }
  })
  yield* payDeposit(deposit.payment_intent_id)
  const { id: card } = yield* SavedCards.use((cards) =>
    Effect.andThen(
      cards.complete(user_id, user_id.replaceAll("-", "_")),
      Effect.map(cards.list(user_id), ([one]) => one!)
    )
  )
  const topUp = { enabled: false, threshold: 10, amount: 25, monthly_limit: 100, card_id: card }
  yield* request("PUT", "/v1/wallet/auto-top-up", { user, body: topUp })
  yield* Invoices.use((invoices) => invoices.setBillingDetails(user_id, { name: hostile, address: null }))
  const { body: check } = yield* request("POST", "/v1/ip-check", { user, body: { ip: `8.8.8.${++owners}` } })
  yield* connect(user_id)
  yield* sql`
    INSERT INTO passkey (id, user_id, name, credential_id, public_key, sign_count, is_synced, created_at)
    VALUES (gen_random_uuid(), ${user_id}, ${hostile.slice(0, 60)}, ${randomUUID()}, ${randomUUID()}, 7, true, ${new Date(0)})
  `
  yield* Notifications.use((notifications) =>
    notifications.add(
      Array.from({ length: 205 }, (_, n) => ({
        user_id,
        kind: "proxy_renewed" as const,
        order_id: null,
        message: () => `Renewed ${n}`
      }))
    )
  )
  for (let n = 0; n < 20; n++) {
    yield* TestClock.adjust("1 millis")
    yield* request("POST", "/v1/download-links", { user, body: { name: `link ${n}` } })
  }
  yield* person.at("account/export")
  const hashes = yield* sql`
    SELECT password_hash AS hash FROM user_account WHERE id = ${user_id}
    UNION ALL SELECT token_hash FROM download_link WHERE user_id = ${user_id}
    UNION ALL SELECT token_hash FROM known_browser WHERE user_id = ${user_id}
    UNION ALL SELECT key_hash FROM api_key WHERE user_id = ${user_id}
    UNION ALL SELECT public_key FROM passkey WHERE user_id = ${user_id}
    UNION ALL SELECT credential_id FROM passkey WHERE user_id = ${user_id}
    UNION ALL SELECT unnest(ARRAY[customer_reference, card_reference]) FROM saved_card WHERE user_id = ${user_id}
    UNION ALL SELECT signing_secret FROM webhook_endpoint WHERE user_id = ${user_id}
    UNION ALL SELECT token_hash FROM refresh_token r JOIN user_session s ON s.id = r.session_id WHERE user_id = ${user_id}
    UNION ALL SELECT token_hash FROM browser_session b JOIN user_session s ON s.id = b.session_id WHERE user_id = ${user_id}`
  const secrets = [key.key, hook.signing_secret, ...hashes.map(({ hash }) => hash)] as ReadonlyArray<string>
  return { ...person, secrets, ids: { order_id, key: key.id, hook: hook.id, deposit: deposit.id, check: check.id } }
})

layer(TestApp.layer())("The export of an account", (it) => {
  it.effect("holds everything of the person in one JSON file, and no secret", () =>
    Effect.gen(function* () {
      const { account, browser, ids, secrets, user_id } = yield* owner
      const stranger = yield* owner
      yield* browser.open(`${http}/app/account/export`)
      const { headers, status, text } = yield* browser.submit({ password })
      assert.strictEqual(status, 200)
      assert.deepInclude(headers, {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="account.json"',
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff"
      })
      const file = JSON.parse(text)
      assert.deepStrictEqual(Object.keys(file), [
        "profile",
        "referrals",
        "billing",
        "wallets",
        "transactions",
        "payments",
        "saved_cards",
        "auto_top_up",
        "invoices",
        "orders",
        "ip_checks",
        "api_keys",
        "webhooks",
        "notifications",
        "connected_apps",
        "passkeys",
        "sessions",
        ...Object.keys(accountTables)
      ])
      assert.deepInclude(file.profile, { id: user_id, email: account.email, is_anonymous: false })
      assert.deepStrictEqual(file.referrals, { referred: 0, earned_usd: 0, pending_usd: 0 })
      assert.deepStrictEqual(
        file.wallets.map(({ currency }: any) => currency),
        ["USD", "STAR"]
      )
      const idsIn = (name: string) => file[name].map(({ id }: any) => id)
      assert.includeMembers(
        file.transactions.map(({ amount, currency }: any) => `${amount} ${currency}`),
        ["25 USD", "5 USD", "1500 STAR"]
      )
      assert.deepStrictEqual(idsIn("payments"), [ids.deposit])
      assert.deepStrictEqual(
        file.saved_cards.map(({ last_digits }: any) => last_digits),
        ["4242"]
      )
      assert.deepStrictEqual(
        file.auto_top_up.map(({ amount, card_id }: any) => [amount, card_id]),
        [[25, idsIn("saved_cards")[0]]]
      )
      assert.deepStrictEqual(file.billing, { name: hostile, address: null })
      assert.deepStrictEqual(
        file.invoices.map(({ transaction_id }: any) => transaction_id),
        [ids.deposit]
      )
      assert.deepStrictEqual(file.invoices[0].buyer, { email: account.email, name: hostile, address: null })
      assert.deepStrictEqual(idsIn("orders"), [ids.order_id])
      assert.deepStrictEqual(idsIn("ip_checks"), [ids.check])
      assert.deepStrictEqual(idsIn("api_keys"), [ids.key])
      assert.strictEqual(file.api_keys[0].name, hostile.slice(0, 60))
      assert.deepStrictEqual(idsIn("webhooks"), [ids.hook])
      assert.lengthOf(file.connected_apps, 1)
      const [{ id: passkey_id, ...passkey }] = file.passkeys
      assert.isString(passkey_id)
      assert.deepStrictEqual(passkey, {
        name: hostile.slice(0, 60),
        is_synced: true,
        created_at: "1970-01-01T00:00:00.000Z",
        last_used_at: null,
        refused_at: null
      })
      assert.deepStrictEqual(
        file.charges.map(({ amount, currency }: any) => [amount, currency]),
        [[5_000_000, "USD"]]
      )
      assert.deepStrictEqual(
        file.app_events.map(({ kind }: any) => kind),
        ["approved"]
      )
      assert.deepStrictEqual(
        file.download_links.map(({ name }: any) => name),
        Array.from({ length: 20 }, (_, n) => `link ${n}`)
      )
      // The registration, the sign-in of the browser, and the approval of the app.
      assert.lengthOf(file.sessions, 3)
      const messages = file.notifications.map(({ message }: any) => message)
      assert.sameMembers(messages, [
        "$5.00 was added to your wallet.",
        ...Array.from({ length: 205 }, (_, n) => `Renewed ${n}`)
      ])
      assert.isAbove(secrets.length, 5)
      for (const secret of secrets) assert.notInclude(text, secret)
      for (const id of [stranger.user_id, ...Object.values(stranger.ids)]) assert.notInclude(text, id)
    })
  )

  it.effect("is a valid file for an account that has nothing yet", () =>
    Effect.gen(function* () {
      const { browser } = yield* atExport
      const file = JSON.parse((yield* browser.submit({ password })).text)
      for (const name of ["transactions", "orders", "ip_checks", "api_keys", "webhooks", "notifications"])
        assert.isEmpty(file[name], name)
    })
  )

  it.effect("needs the password and the token of the form", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* atExport
      for (const [wrong, status, name] of [
        [{ password: "wrong horse" }, 403, "password"],
        [{ password: hostile }, 403, "password"],
        [{ password: "" }, 422, "password"],
        [{ password: null }, 422, "password"],
        [{ password: [password, password] }, 422, "password"],
        [{ password, form_token: null }, 403, ""],
        [{ password, form_token: "0".repeat(64) }, 403, ""]
      ] as const) {
        yield* at("account/export")
        const page = yield* browser.submit(wrong)
        assert.strictEqual(page.status, status, JSON.stringify(wrong))
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [name])
        assertSafe(page, http)
        for (const secret of [password, "wrong horse"]) assert.notInclude(page.text, secret)
      }
      yield* at("account/export")
      assert.strictEqual((yield* browser.submit({ password: "p".repeat(100_000) })).status, 413)
      yield* at("account/export")
      browser.cookies.delete("session")
      assert.strictEqual((yield* browser.submit({ password })).url, `${http}/app/sign-in`)
    })
  )
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The forms that ask for the password", (it) => {
  it.effect("share 10 attempts in a session", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* atExport
      for (let n = 0; n < 5; n++) {
        yield* at("account/export")
        assert.strictEqual((yield* browser.submit({ password: "wrong horse" })).status, 403)
        yield* at("account/deletion")
        assert.strictEqual((yield* browser.submit({ password: "wrong horse" })).status, 403)
      }
      yield* at("account/export")
      assert.strictEqual((yield* browser.submit({ password })).status, 429)
    })
  )
})
