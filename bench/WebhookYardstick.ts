import { Console, Context, DateTime, Effect, Layer } from "effect"
import { UserId } from "../src/accounts/User.ts"
import { OutboundHttp } from "../src/platform/outbound/OutboundHttp.ts"
import { WebhookDeliveryId } from "../src/webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../src/webhooks/WebhookEndpoint.ts"
import { WebhookEvent, WebhookEventId } from "../src/webhooks/WebhookEvent.ts"
import { WebhookSender } from "../src/webhooks/WebhookSender.ts"
import { percentiles, sample } from "./Latency.ts"

const id = "00000000-0000-7000-8000-000000000000"
const oneByOne = 100
/** Few receivers, so that most requests go over a kept connection. */
const receivers = 8
const atOnce = { times: 2000, concurrency: 64 }

/** The values of an idle machine: requests a second, and the 95th percentile in milliseconds. */
const quiet = { rate: 3000, p95: 2 }

const deliveryTo = (url: string) => ({
  id: WebhookDeliveryId.make(id),
  endpoint_id: WebhookEndpointId.make(id),
  attempt: 1,
  url,
  signing_secret: `whsec_${"5eed".repeat(16)}`,
  previous_secret: null,
  event: new WebhookEvent({
    id: WebhookEventId.make(id),
    user_id: UserId.make(id),
    order_id: id,
    is_test: false,
    change_source: "status_changed",
    host: "192.0.2.1",
    port: 20_000,
    protocol: "HTTP",
    status: "expiring",
    previous_status: "active",
    expires_at: DateTime.makeUnsafe("2026-07-01T00:00:00Z"),
    occurred_at: DateTime.makeUnsafe("2026-06-01T00:00:00Z")
  })
})

/**
 * Measures the same sender with the same receivers, without a database and other work. The result says how much slower
 * than an idle machine this one is at the moment.
 */
export class Yardstick extends Context.Service<Yardstick>()("bench/Yardstick", {
  make: Effect.gen(function* () {
    const sender = yield* WebhookSender
    return {
      /** Measures the yardstick and prints the factors by which latency and throughput suffer, 1 at least. */
      measure: Effect.fnUntraced(function* (ports: ReadonlyArray<number>) {
        const post = (n: number) =>
          Effect.flatMap(
            sender.attempt(deliveryTo(`http://127.0.0.1:${ports[n % receivers]}/yardstick`)),
            ({ error }) => (error === null ? Effect.void : Effect.die(new Error(error)))
          )
        const { p50, p95 } = percentiles(yield* sample(oneByOne, post(0)))
        const numbers = Array.from({ length: atOnce.times }, (_, n) => n)
        const [millis = 0] = yield* sample(1, Effect.forEach(numbers, post, { ...atOnce, discard: true }))
        const rate = atOnce.times / (millis / 1000)
        yield* Console.log(
          `yardstick: ${rate.toFixed(0)} requests/s at once; one by one p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)} ms`
        )
        return { latency: Math.max(1, p95 / quiet.p95), throughput: Math.max(1, quiet.rate / rate) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide(WebhookSender.layer),
    Layer.provide(OutboundHttp.layerWith({ allow: { has: (endpoint) => endpoint.startsWith("127.0.0.1:") } }))
  )
}
