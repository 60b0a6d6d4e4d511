import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OutboundHttp } from "../../src/platform/outbound/OutboundHttp.ts"
import { WebhookSender } from "../../src/webhooks/WebhookSender.ts"
import { ok, receiver } from "../platform/outbound/PostReceiver.ts"
import { dueTo } from "./DueDeliveries.ts"

const outbound = OutboundHttp.layerWith({ allow: { has: () => true }, resolve: async () => ["127.0.0.1"] })

const attempt = (url: string) => Effect.flatMap(WebhookSender, ({ attempt }) => attempt(dueTo(url)))

layer(WebhookSender.layer.pipe(Layer.provide(outbound)), { excludeTestServices: true })("Attempts", (it) => {
  it.effect("to a receiver that answered a moment ago share its connection", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver()
      for (const _ of [1, 2, 3]) assert.deepInclude(yield* attempt(url), { status_code: 204, error: null })
      assert.deepStrictEqual(counts(), { connections: 1, requests: 3 })
    })
  )

  it.effect("do not fail when the receiver has closed the connection", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver((response, nth) =>
        nth === 1 ? ok(response, nth) : response.socket?.destroy()
      )
      for (const _ of [1, 2]) assert.deepInclude(yield* attempt(url), { status_code: 204, error: null })
      assert.deepStrictEqual(counts(), { connections: 2, requests: 3 })
    })
  )

  it.effect("use no connection of an attempt that failed", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver((response) => void response.writeHead(503).end())
      for (const _ of [1, 2]) assert.deepInclude(yield* attempt(url), { status_code: 503 })
      assert.deepStrictEqual(counts(), { connections: 2, requests: 2 })
    })
  )
})
