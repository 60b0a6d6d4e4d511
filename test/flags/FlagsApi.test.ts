import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { Flags } from "../../src/flags/Flags.ts"
import { FlagsApi } from "../../src/flags/FlagsApi.ts"
import * as FlagsHttp from "../../src/flags/FlagsHttp.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf, request } from "../support/TestServer.ts"

const world = layerOf(HttpApi.make("proxy-rental").add(FlagsApi).prefix("/v1"), FlagsHttp.layer).pipe(
  Layer.provideMerge(Flags.layer),
  Layer.provideMerge(TestDatabase.layer)
)

layer(world)("GET /flags", (it) => {
  it.effect("shows the flags of the caller's account", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const other = yield* Fixtures.newUser
      yield* (yield* Flags).set("orders.mobile.extend.too_early_guard", user, true)
      const mine = yield* request("GET", "/v1/flags", { user })
      assert.strictEqual(mine.status, 200)
      assert.deepStrictEqual(mine.body, {
        flags: {
          "isp.city.enable": true,
          "ip_reputation.check.enabled": true,
          "orders.mobile.extend.too_early_guard": true
        }
      })
      const theirs = yield* request("GET", "/v1/flags", { key: other })
      assert.isFalse(theirs.body.flags["orders.mobile.extend.too_early_guard"])
    })
  )

  it.effect("needs credentials, and the scope account:read of a restricted key", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      assert.strictEqual((yield* request("GET", "/v1/flags")).status, 401)
      assert.strictEqual((yield* request("GET", "/v1/flags", { key: `${user};account:read` })).status, 200)
      const { body, status } = yield* request("GET", "/v1/flags", { key: `${user};catalog:read` })
      assert.strictEqual(status, 403)
      assert.strictEqual(body.code, "INSUFFICIENT_SCOPE")
      assert.deepStrictEqual(body.details, { required_scope: "account:read" })
    })
  )
})
