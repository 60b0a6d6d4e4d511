import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { ProvisioningRepo } from "../../src/orders/provisioning/ProvisioningRepo.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

/** A newcomer's order that waits for its payment, and the payment page. */
const ordered = Effect.fnUntraced(function* (email: string, fields: object) {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const signUp = { email, password: "correct horse" }
  const { body: account } = yield* request("POST", "/v1/auth/register", { body: signUp })
  const user = account.access_token
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const body = { offer_id: catalog.kinds[0].offers[0].id, ...fields }
  const { body: orders, status } = yield* request("POST", "/v1/orders", { user, body })
  assert.deepStrictEqual([status, orders[0].status], [201, "waiting_payment"])
  const page = new URL(orders[0].payment_info.payment_url).pathname
  return {
    shown: Effect.map(request("GET", page), ({ body }) => body as string),
    choose: (outcome: string) =>
      request("POST", page, {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `outcome=${outcome}`
      }).pipe(Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })),
    order: Effect.map(request("GET", `/v1/orders/${orders[0].id}`, { user }), ({ body }) => body),
    balance: Effect.map(request("GET", "/v1/wallet/balance", { user }), ({ body }) => body.balance)
  }
})

layer(TestApp.layerSandbox)("An order paid on the sandbox page", (it) => {
  it.effect("is provisioned when the customer pays", () =>
    Effect.gen(function* () {
      const { balance, choose, order, shown } = yield* ordered("pays@example.com", { payment_method: "card_gateway" })
      const asked = yield* shown
      assert.include(asked, "Proxy order")
      assert.include(asked, "$1.50")
      yield* choose("paid")
      yield* choose("paid")
      yield* ProvisioningRecovery.run.pipe(Effect.provide(ProvisioningRepo.layer))
      const { proxy_access, status } = yield* order
      assert.deepStrictEqual([status, proxy_access[0].status], ["provisioned", "active"])
      assert.strictEqual(yield* balance, 0)
      assert.include(yield* shown, "we are setting up your proxies")
    })
  )

  it.effect("is cancelled when the customer declines", () =>
    Effect.gen(function* () {
      const { choose, order, shown } = yield* ordered("declines@example.com", { payment_method: "messenger_stars" })
      assert.include(yield* shown, "75 stars")
      yield* choose("declined")
      assert.strictEqual((yield* order).status, "cancelled")
      assert.include(yield* shown, "To try again, place a new order")
    })
  )
})
