import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { randomUUID } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import { atConsent, authorizationResponse, newAccount, redeem } from "../dashboard/PagesTesting.ts"
import { newIp } from "../ip-check/IpCheckTesting.ts"
import { session } from "../mcp/McpTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { offerId } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { sell } from "../rpc/RpcTesting.ts"

const server = (settings: Record<string, string>) =>
  Layer.effectDiscard(sell({})).pipe(Layer.provideMerge(TestApp.layer(settings)))

const outcome = ({ body, status }: { status: number; body: any }) => [status, body.details?.reason]
const refused = [403, "email_not_verified"]

/** Somebody with 100 dollars whose email nobody has verified. */
const stranger = Effect.gen(function* () {
  const { id, token } = yield* newAccount
  yield* Fixtures.fund(UserId.make(id), 100_000_000n)
  const { body } = yield* request("POST", "/v1/api-keys", { user: token, body: { name: "key" } })
  return { id, token, key: body.key as string }
})

const setVerified = Effect.fnUntraced(function* (id: string, email_verified: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE user_account SET email_verified = ${email_verified} WHERE id = ${id}`
  yield* CredentialChanges.use((changes) => changes.caughtUp)
})

const order = Effect.fnUntraced(function* (credential: object, fields: object = {}) {
  const body = { offer_id: yield* offerId("Datacenter"), payment_method: "wallet", ...fields }
  return yield* request("POST", "/v1/orders", { ...credential, body })
})

const idempotency_key = randomUUID()

const required = { VERIFIED_EMAIL_TO_BUY: "true" }

layer(server(required), { excludeTestServices: true })("Only verified buyers", (it) => {
  it.effect("an account with an unverified email buys nothing, and may still deposit", () =>
    Effect.gen(function* () {
      const { id, key, token } = yield* stranger
      for (const credential of [{ user: token }, { key }])
        for (const fields of [{}, { payment_method: "card_gateway" }, { idempotency_key }, { promo_code: "NONE" }])
          assert.deepStrictEqual(outcome(yield* order(credential, fields)), refused)
      const check = { ip: newIp() }
      const unchecked = yield* request("POST", "/v1/ip-check", { key, body: check })
      assert.deepStrictEqual(outcome(unchecked), refused)
      assert.match(
        unchecked.body.detail,
        /^Verify your email first\. .* another \(POST \/v1\/auth\/email\/verify\/resend\)/
      )
      const deposit = { amount: 25, currency: "USD", payment_method: "card_gateway" }
      assert.strictEqual((yield* request("POST", "/v1/payments/deposits", { user: token, body: deposit })).status, 201)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT id FROM proxy_order WHERE user_id = ${id}`, 0)

      yield* setVerified(id, true)
      assert.strictEqual((yield* order({ user: token }, { idempotency_key })).status, 201)
      assert.strictEqual((yield* order({ key })).status, 201)
      assert.strictEqual((yield* request("POST", "/v1/ip-check", { key, body: check })).status, 200)
    })
  )

  it.effect("an order can be extended, and its answer replayed, when the email is no longer verified", () =>
    Effect.gen(function* () {
      const { id, token: user } = yield* stranger
      yield* setVerified(id, true)
      const { body } = yield* order({ user }, { idempotency_key })
      yield* setVerified(id, false)
      const repeated = yield* order({ user }, { idempotency_key })
      assert.deepStrictEqual([repeated.status, repeated.body[0].id], [201, body[0].id])
      const extended = yield* request("POST", `/v1/orders/${body[0].id}/extend`, { user, body: { months: 1 } })
      assert.strictEqual(extended.status, 200)
    })
  )

  it.effect("an app buys with a verified account only", () =>
    Effect.gen(function* () {
      const { account, browser, client } = yield* atConsent({ scopes: ["catalog:read", "orders:write"] })
      yield* Fixtures.fund(UserId.make(account.id), 100_000_000n)
      const { code = "" } = authorizationResponse(yield* browser.submit({ decision: "approve", orders_write: "on" }))
      const { body: tokens } = yield* redeem(client, code)
      const offer_id = yield* offerId("Datacenter")
      const { call } = yield* session({ authorization: `Bearer ${tokens.access_token}` })
      const given = { offer_id, quantity: 1, payment_method: "wallet", idempotency_key, confirm: true }
      const buy = Effect.map(call("create_proxy_order", given), (answer) => JSON.stringify(answer))
      const foretold = Effect.map(call("create_proxy_order", { ...given, confirm: false }), (answer) =>
        JSON.stringify(answer)
      )
      assert.include(yield* foretold, "would refuse it (403 email_not_verified)")
      const told = yield* buy
      assert.include(told, "email_not_verified")
      assert.include(
        told,
        "Use the token in our mail, or request another. A person must claim an agent's account first"
      )
      yield* setVerified(account.id, true)
      assert.notInclude(yield* foretold, "refused")
      assert.include(yield* buy, `"isError":false`)
    })
  )
})

const stripe = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" }

for (const [settings, status] of [
  [{}, 201],
  [stripe, 403],
  [{ ...stripe, VERIFIED_EMAIL_TO_BUY: "false" }, 201]
] as const)
  layer(server(settings), { excludeTestServices: true })((it) => {
    it.effect(
      `an unverified buyer's order answers ${status} with ${Object.keys(settings).join(" and ") || "no settings"}`,
      () =>
        Effect.gen(function* () {
          const { token } = yield* stranger
          assert.strictEqual((yield* order({ user: token })).status, status)
        })
    )
  })
