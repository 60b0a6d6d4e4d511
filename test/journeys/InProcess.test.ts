import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import * as MockedApp from "../support/MockedApp.ts"
import * as TestApp from "../support/TestApp.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { request } from "../support/TestServer.ts"

layer(TestApp.layer())("The whole API in one process", (it) => {
  it.effect("sells a proxy of the provider in memory", () =>
    Effect.gen(function* () {
      yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
      const signUp = { email: "me@example.com", password: "correct horse" }
      const { body: account } = yield* request("POST", "/v1/auth/register", { body: signUp })
      const user = account.access_token
      const { body: deposit } = yield* request("POST", "/v1/payments/deposits", {
        user,
        body: { amount: 10, currency: "USD", payment_method: "crypto_gateway" }
      })
      const paid = (yield* MemoryPaymentGateways).pay(deposit.payment_intent_id)
      yield* request("POST", `/v1/payments/callbacks/${paid.payment_method}`, {
        headers: paid.headers,
        body: new TextDecoder().decode(paid.body)
      })
      const { body: catalog } = yield* request("GET", "/v1/catalog")
      const { body: orders, status } = yield* request("POST", "/v1/orders", {
        user,
        body: { offer_id: catalog.kinds[0].offers[0].id, payment_method: "wallet" }
      })
      assert.deepStrictEqual([status, orders[0].status], [201, "provisioned"])
      assert.isTrue((yield* MemoryProvider).leases.has(orders[0].id))
      const { body: wallet } = yield* request("GET", "/v1/wallet/balance?currency=USD", { user })
      assert.strictEqual(wallet.balance, 8.5)

      yield* TestClock.adjust("1 second")
      yield* EmailDelivery.run.pipe(
        Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer])
      )
      const mail = yield* Effect.flatMap(SentMail, Ref.get)
      assert.deepStrictEqual(
        mail.map(({ to }) => to),
        ["me@example.com"]
      )
    })
  )
})

const mocked = MockedApp.layer(
  Layer.mock(Catalog)({
    answer: () =>
      Effect.succeed({ etag: `"1"`, isCurrent: () => false, body: new TextEncoder().encode(`{"kinds":[],"total":0}`) })
  })
)

layer(mocked)("The whole API without a database", (it) => {
  it.effect("answers from the given mocks, and fails without one", () =>
    Effect.gen(function* () {
      const catalog = yield* request("GET", "/v1/catalog")
      assert.deepStrictEqual([catalog.status, catalog.body], [200, { kinds: [], total: 0 }])
      const user = crypto.randomUUID()
      assert.strictEqual((yield* request("GET", "/v1/wallet", { user })).status, 500)
      assert.strictEqual((yield* request("GET", "/v1/wallet")).status, 401)
      assert.strictEqual((yield* request("GET", "/health/live")).status, 200)
    })
  )
})
