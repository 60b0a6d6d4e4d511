import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { isRefused, layer as server, refresh, told } from "./OAuthServer.ts"
import * as Testing from "./TokenTesting.ts"

layer(server())("Refresh of tokens", (it) => {
  it.effect("rotates refresh tokens, and ends the connection when a used one is sent again", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected()
      const { body: second } = yield* refresh(one)
      assert.notStrictEqual(second.refresh_token, one.refresh_token)
      const { body: third } = yield* refresh({ client: one.client, ...second })
      assert.isFalse(yield* isRefused(third.access_token))
      assert.deepStrictEqual(told(yield* refresh(one)), [400, "invalid_grant"])
      assert.strictEqual(yield* Testing.revokedReason(one.connection_id), "refresh_token_reused")
      assert.deepStrictEqual(told(yield* refresh({ client: one.client, ...third })), [400, "invalid_grant"])
    })
  )

  it.effect("does not end a connection when another client sends its used token", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected()
      const client = yield* Testing.newClient()
      const { body } = yield* refresh(one)
      for (const refresh_token of [one.refresh_token, body.refresh_token, "prt_unknown"])
        assert.deepStrictEqual(told(yield* refresh({ client, refresh_token })), [400, "invalid_grant"])
      assert.strictEqual((yield* refresh({ client: one.client, ...body })).status, 200)
    })
  )

  it.effect("accepts a refresh token for 30 days after its issue", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected()
      yield* TestClock.adjust("29 days")
      const { body: second } = yield* refresh(one)
      yield* TestClock.adjust("29 days")
      const { body: third } = yield* refresh({ client: one.client, ...second })
      assert.isFalse(yield* isRefused(third.access_token))
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(told(yield* refresh({ client: one.client, ...third })), [400, "invalid_grant"])
    })
  )

  it.effect("narrows scopes on a refresh, never widens them, and restores all of them on request", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected({ scopes: ["catalog:read", "wallet:read"] })
      for (const scope of ["catalog:read orders:write", "orders:read", "openid", "catalog:read openid"])
        assert.deepStrictEqual(told(yield* refresh(one, { scope })), [400, "invalid_scope"], scope)
      const { body: narrow } = yield* refresh(one, { scope: "wallet:read" })
      assert.strictEqual(narrow.scope, "wallet:read")
      const { body: wide } = yield* refresh({ client: one.client, ...narrow }, { scope: "wallet:read  catalog:read " })
      assert.strictEqual(wide.scope, "catalog:read wallet:read")
      const { body: all } = yield* refresh({ client: one.client, ...wide }, { scope: "" })
      assert.strictEqual(all.scope, "catalog:read wallet:read")
    })
  )

  it.effect("records the use of the client and the connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* Testing.connected()
      yield* TestClock.adjust("3 days")
      const now = DateTime.toDate(yield* DateTime.now)
      yield* refresh(one)
      const [used] = yield* sql`
        SELECT oauth_client.last_used_at AS client, oauth_connection.last_used_at AS connection
        FROM oauth_client, oauth_connection
        WHERE oauth_client.id = ${one.client.id} AND oauth_connection.id = ${one.connection_id}
      `
      assert.deepStrictEqual(used, { client: now, connection: now })
    })
  )
})
