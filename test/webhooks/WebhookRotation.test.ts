import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import * as WebhookCleanup from "../../src/webhooks/WebhookCleanup.ts"
import { WebhookCleanupRepo } from "../../src/webhooks/WebhookCleanupRepo.ts"
import * as WebhookSecret from "../../src/webhooks/WebhookSecret.ts"
import * as TestApp from "../support/TestApp.ts"
import { answer, dispatching, endpointOf, layer as domain, newEndpoint, record } from "./DispatchTesting.ts"
import { isGenuine } from "./DueDeliveries.ts"
import { ask, createEndpoint, newOwner } from "./WebhooksTesting.ts"

/** A receiver that compares one header exactly. It learns its secret by `know`. */
const strict = Effect.gen(function* () {
  let known = ""
  const answers: Array<number> = []
  const server = createServer(async (request, response) => {
    const { headers } = request
    const header = (name: string) => String(headers[`x-service-${name}`])
    const [timestamp, delivery_id, signature] = [header("timestamp"), header("delivery-id"), header("signature")]
    const body = await buffer(request)
    const status = isGenuine({ secret: known, timestamp, delivery_id, signature, body }) ? 204 : 401
    answers.push(status)
    response.writeHead(status).end()
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => void server.close())
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, know: (secret: string) => void (known = secret), answers }
})

/** An endpoint at a strict receiver, with its secrets before and after a rotation. */
const rotated = Effect.fnUntraced(function* (body?: object) {
  const { key } = yield* newOwner
  const receiver = yield* strict
  const before = yield* createEndpoint(key, { url: receiver.url })
  const asked_at = Date.now()
  const { body: after } = yield* ask(key)("POST", `/${before.id}/rotate-secret`, body)
  const answered_at = Date.now()
  const arrives = Effect.fnUntraced(function* (secret: string) {
    receiver.know(secret)
    receiver.answers.length = 0
    return (yield* ask(key)("POST", `/${before.id}/test`)).body.delivered as boolean
  })
  return { key, receiver, id: before.id as string, old: before.signing_secret, after, arrives, asked_at, answered_at }
})

layer(TestApp.layer(), { excludeTestServices: true })("A rotated secret", (it) => {
  it.effect.each([undefined, {}, { overlap_seconds: 86_400 }, { overlap_seconds: 3600 }])(
    "%j: a receiver that compares the one signature goes on with the old secret, and with the new one",
    (body) =>
      Effect.gen(function* () {
        const { after, answered_at, arrives, asked_at, old, receiver } = yield* rotated(body)
        const overlapMillis = (body?.overlap_seconds ?? 86_400) * 1000
        assert.isAtLeast(Date.parse(after.previous_secret_ends_at), asked_at + overlapMillis)
        assert.isAtMost(Date.parse(after.previous_secret_ends_at), answered_at + overlapMillis)
        assert.isTrue(yield* arrives(old))
        assert.deepStrictEqual(receiver.answers, [204])
        assert.isTrue(yield* arrives(after.signing_secret))
        assert.deepStrictEqual(receiver.answers, [401, 204])
        assert.isFalse(yield* arrives((yield* WebhookSecret.make).signing_secret))
        assert.deepStrictEqual(receiver.answers, [401, 401])
      })
  )

  it.effect("ends immediately when the owner asks for it", () =>
    Effect.gen(function* () {
      const { after, arrives, old, receiver } = yield* rotated({ overlap_seconds: 0 })
      assert.isNull(after.previous_secret_ends_at)
      assert.isFalse(yield* arrives(old))
      assert.deepStrictEqual(receiver.answers, [401])
      assert.isTrue(yield* arrives(after.signing_secret))
      assert.deepStrictEqual(receiver.answers, [204])
    })
  )

  it.effect("ends after its overlap, and immediately by another rotation without an overlap", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const past = yield* rotated()
      yield* sql`UPDATE webhook_endpoint SET previous_secret_ends_at = ${new Date()} WHERE id = ${past.id}`
      assert.isFalse(yield* past.arrives(past.old))
      const leaked = yield* rotated()
      const { body } = yield* ask(leaked.key)("POST", `/${leaked.id}/rotate-secret`, { overlap_seconds: 0 })
      assert.isFalse(yield* leaked.arrives(leaked.old))
      assert.isFalse(yield* leaked.arrives(leaked.after.signing_secret))
      assert.isTrue(yield* leaked.arrives(body.signing_secret))
    })
  )

  it.effect.each([-1, 604_801, 1.5, "60", true])("is no overlap of %j seconds", (overlap_seconds) =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const { id } = yield* createEndpoint(key)
      const { body, status } = yield* ask(key)("POST", `/${id}/rotate-secret`, { overlap_seconds })
      assert.deepStrictEqual([status, body.detail[0].loc], [422, ["body", "overlap_seconds"]])
    })
  )
})

layer(WebhookCleanupRepo.layer.pipe(Layer.provideMerge(domain)))("An old secret", (it) => {
  it.effect("signs events until its end; cleanup then erases it", () =>
    Effect.gen(function* () {
      const { signing_secret: previous_secret } = yield* WebhookSecret.make
      const now = yield* DateTime.now
      const endpoint = yield* newEndpoint({
        previous_secret,
        previous_secret_ends_at: DateTime.toDate(DateTime.add(now, { hours: 24 }))
      })
      const { idle, next, round } = yield* dispatching(() => answer(200))
      const sentWith = Effect.gen(function* () {
        yield* record(endpoint)
        yield* round
        const delivery = yield* next
        yield* idle
        return delivery.previous_secret
      })
      assert.strictEqual(yield* sentWith, previous_secret)
      yield* WebhookCleanup.run
      assert.strictEqual((yield* endpointOf(endpoint)).previous_secret, previous_secret)
      yield* TestClock.adjust("24 hours")
      assert.isNull(yield* sentWith)
      yield* WebhookCleanup.run
      assert.deepInclude(yield* endpointOf(endpoint), { previous_secret: null, previous_secret_ends_at: null })
    })
  )
})
