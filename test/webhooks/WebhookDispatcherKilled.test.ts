import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { WebhookDispatcher } from "../../src/webhooks/WebhookDispatcher.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as TestOutbound from "../support/TestOutbound.ts"
import { deliveryOf, layer as domain, newEndpoint, record } from "./DispatchTesting.ts"
import * as Receiver from "./Receiver.ts"

const program = fileURLToPath(new URL("../support/WebhookProcess.ts", import.meta.url))

const kill = (child: ReturnType<typeof spawn>) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

layer(domain)("A dispatcher that is killed", (it) => {
  it.effect(
    "leaves its delivery to another instance, which makes the next attempt with the same ids after the lease",
    () =>
      Effect.gen(function* () {
        let requests = 0
        const receiver = yield* Receiver.start((socket) => {
          if (++requests > 1) socket.end("HTTP/1.1 204 -\r\nConnection: close\r\n\r\n")
        })
        const endpoint = yield* newEndpoint({ url: receiver.url })
        const [delivery_id = ""] = yield* record(endpoint)

        const env = { PATH: process.env["PATH"], DATABASE_URL: yield* TestDatabase.url }
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(process.execPath, [program], { env, stdio: ["ignore", "inherit", "inherit"] })),
          kill
        )
        const first = yield* receiver.received
        yield* kill(child)
        yield* first.ending
        const left = yield* deliveryOf(delivery_id)
        assert.deepStrictEqual([left.status, left.attempt], ["pending", 1])

        yield* TestClock.setTime(left.next_attempt_at.getTime())
        const dispatcher = yield* Layer.build(WebhookDispatcher.layer.pipe(Layer.provide(TestOutbound.layer)))
        const second = yield* receiver.received
        yield* Effect.flatMap(Effect.provide(WebhookDispatcher, dispatcher), ({ idle }) => idle)

        const [one, two] = [first, second].map(({ body }) => JSON.parse(body.toString()))
        assert.deepStrictEqual(two, { ...one, meta: { ...one.meta, attempt: 2 } })
        assert.strictEqual(second.headers["x-service-delivery-id"], delivery_id)
        const { attempts, status } = yield* deliveryOf(delivery_id)
        assert.strictEqual(status, "delivered")
        assert.deepStrictEqual(
          attempts.map(({ attempt, duration_ms, status_code }: any) => [attempt, duration_ms === null, status_code]),
          [
            [1, true, null],
            [2, false, 204]
          ]
        )
      })
  )
})
