import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { OutboundHttp } from "../../src/platform/outbound/OutboundHttp.ts"
import type { AttemptResult } from "../../src/webhooks/WebhookAttempt.ts"
import { WebhookSender } from "../../src/webhooks/WebhookSender.ts"
import { bodyOf } from "../../src/webhooks/WebhookPayload.ts"
import { dueTo, isGenuine } from "./DueDeliveries.ts"
import * as Receiver from "./Receiver.ts"

/** Loopback is allowed; the only known name never resolves. */
const outbound = OutboundHttp.layerWith({
  allow: { has: (endpoint) => endpoint.startsWith("127.0.0.1:") },
  resolve: (name) =>
    name === "silent.test" ? new Promise(() => {}) : Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }))
})

const attempt = (url: string) => Effect.flatMap(WebhookSender, ({ attempt }) => attempt(dueTo(url)))

/** An attempt at a receiver that answers so. */
const attemptAt = Effect.fnUntraced(function* (answer: (socket: Socket) => void) {
  const receiver = yield* Receiver.start(answer)
  const result = yield* attempt(receiver.url)
  return { result, received: yield* receiver.received }
})

/** Turns of the event loop in which the sender takes what has arrived. */
const someTurns = Effect.promise(async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
})

/** Watches for the head of the next answer. */
const watchingHead = Effect.gen(function* () {
  const read = Promise.withResolvers<void>()
  const noted = () => read.resolve()
  subscribe("http.client.response.finish", noted)
  yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("http.client.response.finish", noted)))
  return {
    /** Waits until the sender has read the head. */
    read: Effect.andThen(
      Effect.promise(() => read.promise),
      someTurns
    )
  }
})

/** The same, but moves the clock when the request, or the head of its answer, has arrived. */
const attemptDuring = Effect.fnUntraced(function* (
  seconds: number,
  answer: (socket: Socket) => void,
  after: "request" | "head" = "request"
) {
  const receiver = yield* Receiver.start(answer)
  const head = yield* watchingHead
  const fiber = yield* Effect.forkChild(attempt(receiver.url))
  const received = yield* receiver.received
  if (after === "head") yield* head.read
  yield* TestClock.adjust(`${seconds} seconds`)
  return { result: yield* Fiber.join(fiber), received }
})

const says = (text: string) => (socket: Socket) => void socket.write(text)
const ends = (text: string) => (socket: Socket) => void socket.end(text)

/** Sends endlessly, as fast as the client reads. */
const floods = (text: string) => (socket: Socket) => {
  const block = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)))
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on("drain", more)
  more()
}

const inWords = /^[A-Z][\w .,:;'()-]{5,120}$/

const assertNoAnswer = ({ error, status_code }: AttemptResult) => {
  assert.isNull(status_code)
  assert.match(error ?? "", inWords)
}

layer(WebhookSender.layer.pipe(Layer.provide(outbound)))("WebhookSender", (it) => {
  describe("what is sent", () => {
    it.effect("is a POST with exactly these headers", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_782_864_000_999)
        const { received, result } = yield* attemptAt(ends("HTTP/1.1 204 No Content\r\n\r\n"))
        assert.deepInclude(result, { status_code: 204, error: null })
        const { body, headers, line, socket } = received
        assert.strictEqual(line, "POST /hooks?tenant=a%20b HTTP/1.1")
        const { "x-service-signature": signature = "", ...rest } = headers
        assert.match(signature, /^v1=[0-9a-f]{64}$/)
        assert.deepStrictEqual(rest, {
          host: `127.0.0.1:${socket.localPort}`,
          connection: "keep-alive",
          "content-length": String(body.length),
          "content-type": "application/json",
          "user-agent": "Service-Webhooks/1.0",
          "x-service-event": "proxy.status_changed",
          "x-service-delivery-id": dueTo("").id,
          "x-service-timestamp": "1782864000"
        })
        assert.strictEqual(body.toString(), bodyOf(dueTo("")))
      })
    )

    it.effect("each attempt is signed with its own time", () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver.start(ends("HTTP/1.1 503 Busy\r\n\r\n"))
        const { id: delivery_id, signing_secret: secret } = dueTo("")
        for (const timestamp of ["1782864000", "1782864030"]) {
          yield* TestClock.setTime(Number(timestamp) * 1000 + 999)
          yield* attempt(receiver.url)
          const { body, headers } = yield* receiver.received
          const signature = headers["x-service-signature"] ?? ""
          assert.isTrue(isGenuine({ secret, timestamp, delivery_id, signature, body }))
        }
      })
    )
  })

  describe("what is an answer", () => {
    const answers = [
      [200, null, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
      [204, null, "HTTP/1.1 204 No Content\r\n\r\n"],
      [299, null, "HTTP/1.0 299 Odd\r\n\r\n"],
      [202, null, `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(10)}HTTP/1.1 202 Accepted\r\n\r\n`],
      [203, null, "HTTP/1.1 203 Short\r\nContent-Length: 9\r\n\r\nless"],
      [206, null, "HTTP/1.1 206 No chunks\r\nTransfer-Encoding: chunked\r\n\r\nnone"],
      [302, "302 Found; the service follows no redirects", "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n"],
      [404, "404 Not Found", "HTTP/1.1 404 <script>\r\n\r\n"],
      [429, "429 Too Many Requests", "HTTP/1.1 429 Slow down\r\nRetry-After: 100000\r\n\r\n"],
      [503, "503 Service Unavailable", "HTTP/1.1 503\r\n\r\n"],
      [799, "799", "HTTP/1.1 799 Odd\r\n\r\n"]
    ] as const

    it.effect.each(answers)("%s is recorded, and why it is not enough: %s", ([status_code, error, answer]) =>
      Effect.gen(function* () {
        const { result } = yield* attemptAt(ends(answer))
        assert.strictEqual(result.status_code, status_code)
        assert.strictEqual(result.error, error === null ? null : `The receiver answered ${error}`)
      })
    )

    it.effect("a redirect causes no second request", () =>
      Effect.gen(function* () {
        const other = yield* Receiver.start(ends("HTTP/1.1 200 OK\r\n\r\n"))
        yield* attemptAt(ends(`HTTP/1.1 307 Elsewhere\r\nLocation: ${other.url}\r\nContent-Length: 0\r\n\r\n`))
        // Nothing is to arrive; on a slow machine this proves less, but cannot fail.
        assert.isTrue(Option.isNone(yield* other.received.pipe(Effect.timeoutOption(1), TestClock.withLive)))
      })
    )

    it.effect("the status counts when the connection breaks in the body", () =>
      Effect.gen(function* () {
        const { result } = yield* attemptAt((socket) => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", () => socket.resetAndDestroy())
        })
        assert.deepInclude(result, { status_code: 200, error: null })
      })
    )

    it.effect("the status counts when the body never ends; the sender reads it for one second", () =>
      Effect.gen(function* () {
        const { received, result } = yield* attemptDuring(
          1,
          says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
          "head"
        )
        assert.deepInclude(result, { status_code: 200, error: null })
        yield* received.ending
      })
    )

    it.effect("the status counts when the body is endless; the sender reads 16 KiB of it", () =>
      Effect.gen(function* () {
        let sent = 0
        const { received, result } = yield* attemptAt((socket) => {
          socket.write("HTTP/1.1 201 Created\r\n\r\n")
          // One KiB in each turn, so that the other side reads it.
          const more = () => {
            if (socket.destroyed || socket.readableEnded) return
            sent += 1
            socket.write("x".repeat(1024), () => setImmediate(more))
          }
          more()
        })
        assert.deepInclude(result, { status_code: 201, error: null })
        yield* received.ending
        assert.isAtLeast(sent, 17)
        // Reading ends after 16 KiB; a slow machine may send more until it notices.
        assert.isBelow(sent, 4096)
      })
    )

    it.effect("the sender reads a slow body, so that the receiver sees no broken connection", () =>
      Effect.gen(function* () {
        const sent = yield* Deferred.make<boolean>()
        const half = "x".repeat(6000)
        const { received } = yield* attemptAt((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 12000\r\n\r\n${half}`)
          // Longer is fine too: time stands still for the sender.
          setTimeout(() => {
            Deferred.doneUnsafe(sent, Effect.succeed(socket.readableEnded))
            socket.end(half)
          }, 20)
        })
        assert.isFalse(yield* Deferred.await(sent))
        assert.strictEqual(yield* received.ending, "in order")
      })
    )

    it.effect("a protocol upgrade counts as an answer, and the connection ends", () =>
      Effect.gen(function* () {
        const upgrade = "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        const { received, result } = yield* attemptDuring(1, says(upgrade))
        assert.strictEqual(result.status_code, 101)
        yield* received.ending
      })
    )
  })

  describe("what is no answer", () => {
    const failures: ReadonlyArray<readonly [string, (socket: Socket) => void]> = [
      ["the connection is closed", ends("")],
      ["the connection is reset", (socket) => void socket.resetAndDestroy()],
      ["half a head", ends("HTTP/1.1 200 OK\r\nContent-")],
      ["another protocol", ends("SSH-2.0-OpenSSH_9.6\r\n\r\n")],
      ["a status that is none", ends("HTTP/1.1 042 Odd\r\n\r\n")],
      ["a forbidden character in a header", ends("HTTP/1.1 200 OK\r\nX-Odd: a\0b\r\n\r\n")],
      ["two lengths", ends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok")],
      ["an endless head", floods(`HTTP/1.1 200 OK\r\n${"X-Odd: 1\r\n".repeat(4000)}`)]
    ]

    it.effect.each(failures)("%s", ([, answer]) =>
      Effect.gen(function* () {
        assertNoAnswer((yield* attemptAt(answer)).result)
      })
    )

    it.effect("nothing listens, no such name, no TLS, no such port", () =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(Receiver.start(ends("")))
        const plain = yield* Receiver.start(ends(""), "SSH-2.0-OpenSSH_9.6\r\n")
        for (const url of [
          closed.url,
          "https://none.test/",
          plain.url.replace("http:", "https:"),
          "http://127.0.0.1:0/"
        ]) {
          assertNoAnswer(yield* attempt(url))
        }
      })
    )

    it.effect.each([
      "",
      "hooks",
      "ftp://127.0.0.1/",
      "http://[::1",
      "http://127.0.0.1:99999/",
      "http://127.0.0.1:1/\r\nX-Odd: 1",
      "https://10.0.0.1/",
      "file:///etc/passwd",
      "javascript:alert(1)"
    ])("a URL like %j", (url) => Effect.map(attempt(url), assertNoAnswer))

    it.effect("ten seconds without an answer close the connection", () =>
      Effect.gen(function* () {
        const { received, result } = yield* attemptDuring(10, () => {})
        assert.deepStrictEqual(result, {
          duration_ms: 10_000,
          status_code: null,
          error: "No answer within 10 seconds"
        })
        yield* received.ending
      })
    )

    it.effect("ten seconds without a resolved name are a failure", () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(attempt("https://silent.test/"), { startImmediately: true })
        yield* TestClock.adjust("10 seconds")
        assert.deepInclude(yield* Fiber.join(fiber), { status_code: null, error: "No answer within 10 seconds" })
      })
    )
  })

  it.effect("endless interim answers do not extend the time limit", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.start(floods("HTTP/1.1 100 Continue\r\n\r\n"))
      const result = yield* attempt(receiver.url)
      assert.deepInclude(result, { status_code: null, error: "The answer is larger than 48 KiB" })
      yield* (yield* receiver.received).ending
    })
  )

  it.effect("the body of a late answer gets only the rest of the ten seconds", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.start(() => {})
      const head = yield* watchingHead
      const fiber = yield* Effect.forkChild(attempt(receiver.url))
      const { ending, socket } = yield* receiver.received
      yield* TestClock.adjust("9600 millis")
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      yield* head.read
      yield* TestClock.adjust("400 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { duration_ms: 9600, status_code: 200, error: null })
      yield* ending
    })
  )

  it.effect("an interrupted attempt closes its connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.start(() => {})
      const fiber = yield* Effect.forkChild(attempt(receiver.url))
      const { ending } = yield* receiver.received
      yield* Fiber.interrupt(fiber)
      yield* ending
    })
  )
})
