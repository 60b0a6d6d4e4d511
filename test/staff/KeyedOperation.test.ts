import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { RequestInvalid } from "../../src/platform/errors/RequestInvalid.ts"
import * as StaffActionApi from "../../src/staff/StaffActionApi.ts"
import { StaffActions } from "../../src/staff/StaffActions.ts"
import { ActionKeyReused } from "../../src/staff/StaffErrors.ts"
import { StaffId } from "../../src/staff/StaffId.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf, request } from "../support/TestServer.ts"
import { actorOf } from "./StaffTesting.ts"

const Credit = Schema.Struct({ id: Schema.String, n: Schema.Int })

const api = HttpApi.make("keyed").add(
  HttpApiGroup.make("adminKeyed").add(
    HttpApiEndpoint.post("createCredit", "/credits", {
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ amount: Schema.String }),
      success: StaffActionApi.replayable(Credit),
      error: [ActionKeyReused, RequestInvalid]
    })
  )
)

const actor = actorOf(StaffId.make(randomUUID()), "finance")

const handlers = HttpApiBuilder.group(
  api,
  "adminKeyed",
  Effect.fnUntraced(function* (handlers) {
    const actions = yield* StaffActions
    const credits = yield* Ref.make(0)
    return handlers.handleAll({
      createCredit: ({ headers, payload }) => {
        const key = headers["idempotency-key"]
        const action = { actor, key, operation: "createCredit", content: payload, answer: Credit }
        const act = Effect.map(
          Ref.updateAndGet(credits, (n) => n + 1),
          (n) => ({ id: key, n })
        )
        return Effect.map(actions.once(action, act), StaffActionApi.answer)
      }
    })
  })
)

const world = layerOf(api, handlers).pipe(
  Layer.provideMerge(StaffActions.layer),
  Layer.provideMerge(TestDatabase.layer)
)

layer(world)("An operation with an Idempotency-Key", (it) => {
  it.effect("needs the key, acts once, says that it repeats an answer, and refuses other content", () =>
    Effect.gen(function* () {
      const send = (amount: string, headers: Record<string, string> = {}) =>
        request("POST", "/credits", { headers, body: { amount } })
      for (const headers of [{}, { "idempotency-key": "mine" }])
        assert.strictEqual((yield* send("5", headers)).status, 422)
      const key = { "idempotency-key": randomUUID() }
      const first = yield* send("5", key)
      assert.deepStrictEqual([first.status, first.body], [200, { id: key["idempotency-key"], n: 1 }])
      assert.notProperty(first.headers, "idempotency-replayed")
      const again = yield* send("5", key)
      assert.deepStrictEqual([again.body, again.headers["idempotency-replayed"]], [first.body, "true"])
      const other = yield* send("6", key)
      assert.deepStrictEqual([other.status, other.body.details], [409, { reason: "idempotency_key_reused" }])
    })
  )
})
