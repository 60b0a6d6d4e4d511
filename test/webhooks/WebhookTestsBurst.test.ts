import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import { UserId } from "../../src/accounts/User.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { eventType, WebhookEndpoint, WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { WebhookEndpointsRepo } from "../../src/webhooks/WebhookEndpointsRepo.ts"
import { WebhookLogRepo } from "../../src/webhooks/WebhookLogRepo.ts"
import { WebhookSender } from "../../src/webhooks/WebhookSender.ts"
import { WebhookTests } from "../../src/webhooks/WebhookTests.ts"
import { url } from "./WebhooksTesting.ts"

const owner = UserId.make(SecureRandom.uuidV7Unsafe())
const id = WebhookEndpointId.make(SecureRandom.uuidV7Unsafe())
const at = DateTime.makeUnsafe("2026-07-01T00:00:00.000Z")

const endpoint = new WebhookEndpoint({
  id,
  user_id: owner,
  url,
  enabled: true,
  event_type: eventType,
  signing_secret: `whsec_${"3f9a".repeat(16)}`,
  secret_preview: "whsec_3f9a3f...9a3f9a",
  previous_secret: null,
  previous_secret_ends_at: null,
  failing_since: null,
  failure_warned_at: null,
  last_delivery_at: null,
  last_test_at: null,
  created_at: at,
  updated_at: at
})

/** Counts concurrent visitors until the gate opens. */
const gate = () => {
  const open = Deferred.makeUnsafe<void>()
  const state = { inside: 0, most: 0 }
  const pass = Effect.sync(() => {
    state.inside += 1
    state.most = Math.max(state.most, state.inside)
  }).pipe(
    Effect.andThen(Deferred.await(open)),
    Effect.ensuring(
      Effect.sync(() => {
        state.inside -= 1
      })
    )
  )
  return { open: Deferred.succeed(open, undefined), pass, state }
}

/** Tests without a limit by account. All hang at the receiver, then in the database. */
const hanging = Effect.gen(function* () {
  const receiver = gate()
  const database = gate()
  const context = yield* Layer.build(
    WebhookTests.layerNoDeps.pipe(
      Layer.provide([
        Atomically.layerNone,
        Layer.mock(RateLimit)({ enforce: () => Effect.void, enforceAt: () => undefined }),
        Layer.mock(WebhookEndpointsRepo)({
          find: () => Effect.succeed(endpoint),
          lock: () => Effect.as(database.pass, endpoint),
          tested: () => Effect.succeed([])
        }),
        Layer.mock(WebhookLogRepo)({
          insertEvent: () => Effect.succeed([]),
          insert: () => Effect.succeed([]),
          insertAttempt: () => Effect.succeed([])
        }),
        Layer.succeed(WebhookSender, {
          attempt: () => Effect.as(receiver.pass, { duration_ms: 1, status_code: 200, error: null })
        })
      ])
    )
  )
  const send = Context.get(context, WebhookTests)
    .send(owner, id)
    .pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://127.0.0.1"))
      )
    )
  return { database, receiver, send }
})

/** Long enough for every fiber that can continue. */
const settled = Effect.repeat(
  Effect.promise(() => new Promise((done) => setImmediate(done))),
  { times: 20 }
)

describe("a burst of tests that hang", () => {
  it.effect("tests use at most 256 connections and 4 of the database; one more gets 429", () =>
    Effect.gen(function* () {
      const { database, receiver, send } = yield* hanging
      const running = yield* Effect.forEach(Array(256).keys(), () => Effect.forkChild(send))
      yield* settled
      assert.strictEqual(receiver.state.inside, 256)
      const refused = yield* Effect.flip(send)
      assert.deepInclude(refused, { _tag: "RateLimited", details: { retry_after: 10 } })
      yield* receiver.open
      yield* settled
      assert.strictEqual(database.state.inside, 4)
      yield* database.open
      const tested = yield* Fiber.joinAll(running)
      assert.isTrue(tested.every(({ delivered }) => delivered))
      assert.deepStrictEqual([receiver.state.most, database.state.most], [256, 4])
    })
  )
})
