import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { UserId } from "../../src/accounts/User.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Gate from "../support/Gate.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { balanceOf, offerId } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Credential, message, newKey, open, send, stateless } from "./McpTesting.ts"

/** An account with 100 dollars and one order. */
const buyer = Effect.gen(function* () {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const { account, credential } = yield* newKey()
  const user = UserId.make(account.id)
  yield* Fixtures.fund(user, 100_000_000n)
  const given = {
    offer_id: yield* offerId("Datacenter"),
    quantity: 1,
    payment_method: "wallet",
    idempotency_key: "once",
    confirm: true
  }
  const order = message("tools/call", { name: "create_proxy_order", arguments: given }, "order")
  const header = yield* open(credential)
  return { credential: credential as Credential, header, order, user }
})

layer(TestApp.layer(), { excludeTestServices: true })("A purchase through the tool endpoint", (it) => {
  it.effect("is not made by a call without an id, which could get no answer", () =>
    Effect.gen(function* () {
      const { credential, header, order, user } = yield* buyer
      const { id: _, ...unseen } = order
      const alone = yield* send(credential, unseen, header)
      assert.deepStrictEqual([alone.status, alone.body.id, alone.body.error.code], [400, null, -32600])
      assert.include(alone.body.error.message, "tools/call needs an id")
      const among = yield* send(credential, [message("ping", {}, "ping"), unseen], header)
      assert.deepStrictEqual([among.status, among.body.map(({ id }: any) => id)], [400, ["ping", null]])
      const { body, headers } = stateless("tools/call", { ...unseen.params })
      const { id: __, ...withoutId } = body
      assert.strictEqual((yield* send(credential, withoutId, headers)).status, 400)
      assert.strictEqual(yield* balanceOf(user), 100_000_000n)
    })
  )

  it.effect("is made although its session ends meanwhile, and the answer says so", () =>
    Effect.gen(function* () {
      const { credential, header, order, user } = yield* buyer
      const gate = yield* Gate.make
      yield* MemoryProvider.use((provider) => Effect.sync(() => provider.next({ until: gate.pass })))
      const underway = yield* Effect.forkChild(send(credential, order, { ...header, origin: "https://agent.example" }))
      // The wallet is charged, and the provider is working.
      yield* gate.reached
      assert.strictEqual((yield* send(credential, undefined, header, "DELETE")).status, 204)
      yield* gate.open
      const { body, headers, status } = yield* Fiber.join(underway)
      assert.deepStrictEqual([status, body.code], [404, "NOT_FOUND"])
      assert.include(body.detail, "idempotency_key")
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      for (const name of ["x-request-id", "ratelimit"]) assert.property(headers, name)

      const again = yield* send(credential, order, yield* open(credential))
      const { orders, replayed } = JSON.parse(again.body.result.content[0].text)
      assert.isTrue(replayed)
      // The end of the session ends the wait for the proxy, so the stored answer may still say that the order is paid.
      assert.include(["paid", "provisioned"], orders[0].status)
      assert.strictEqual(yield* balanceOf(user), 98_500_000n)
    })
  )
})
