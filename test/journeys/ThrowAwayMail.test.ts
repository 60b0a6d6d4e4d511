import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { UserId } from "../../src/accounts/User.ts"
import { sell } from "../rpc/RpcTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { offerId } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const server = (DISPOSABLE_EMAIL: string) =>
  Layer.effectDiscard(sell({})).pipe(Layer.provideMerge(TestApp.layer({ DISPOSABLE_EMAIL })))

const register = (domain: string) => {
  const email = `${randomUUID()}@${domain}`
  return request("POST", "/v1/auth/register", { body: { email, password: "correct horse battery" } })
}

const order = Effect.fnUntraced(function* (user: string) {
  const body = { offer_id: yield* offerId("Datacenter"), payment_method: "wallet" }
  return (yield* request("POST", "/v1/orders", { user, body })).status
})

layer(server("verify"), { excludeTestServices: true })("DISPOSABLE_EMAIL=verify", (it) => {
  it.effect("lets a throw-away address buy only when it is verified, and others at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const buyer = Effect.fnUntraced(function* (domain: string) {
        const { body, status } = yield* register(domain)
        assert.strictEqual(status, 201)
        yield* Fixtures.fund(UserId.make(body.user.id), 100_000_000n)
        return { id: body.user.id as string, token: body.access_token as string }
      })
      const usual = yield* buyer("example.com")
      assert.strictEqual(yield* order(usual.token), 201)
      const throwAway = yield* buyer("mailinator.com")
      assert.strictEqual(yield* order(throwAway.token), 403)
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${throwAway.id}`
      yield* CredentialChanges.use((changes) => changes.caughtUp)
      assert.strictEqual(yield* order(throwAway.token), 201)
    })
  )
})

layer(server("block"), { excludeTestServices: true })("DISPOSABLE_EMAIL=block", (it) => {
  it.effect("refuses a throw-away address at the registration and at a change of the email", () =>
    Effect.gen(function* () {
      const refused = yield* register("sub.mailinator.com")
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(refused.body.detail[0].loc, ["body", "email"])
      const { body } = yield* register("example.com")
      const changed = yield* request("PATCH", "/v1/users/me", {
        user: body.access_token,
        body: { email: `${randomUUID()}@mailinator.com` }
      })
      assert.strictEqual(changed.status, 422)
    })
  )
})
