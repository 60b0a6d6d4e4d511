import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestListener } from "node:http"
import * as Https from "node:https"
import type { Socket } from "node:net"
import { certificate } from "../../support/SelfSigned.ts"
import { ok, outbound, posted, receiver, type Serve } from "./PostReceiver.ts"
import { trusted } from "./Trusted.ts"

type Break = (socket: Socket) => void

/** Answers the first request of each connection, and ends the connection at the second. */
const breaking =
  (how: Break): Serve =>
  (response, nth) =>
    nth === 1 ? ok(response, nth) : how(response.socket!)

const breaks: ReadonlyArray<readonly [string, Break]> = [
  ["in order", (socket) => void socket.end()],
  ["with a reset", (socket) => void socket.resetAndDestroy()]
]

const tlsBreaks: ReadonlyArray<readonly [string, Break]> = [
  ["in order", (socket) => void socket.end()],
  ["without a word", (socket) => void socket.destroy()]
]

const overTls = (listener: RequestListener) => Https.createServer(certificate, listener)

describe("A kept connection that the receiver closes", () => {
  it.live.each(breaks)("%s before an answer makes the request go out again, over a new connection", ([, how]) =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver(breaking(how))
      const http = yield* outbound()
      for (const _ of [1, 2]) assert.strictEqual(yield* posted(http, url), 204)
      assert.deepStrictEqual(counts(), { connections: 2, requests: 3 })
    })
  )

  it.live("makes the request go out again only once", () =>
    Effect.gen(function* () {
      let isWell = true
      const { counts, url } = yield* receiver((response) => {
        if (isWell) return void response.writeHead(204).end()
        response.socket?.destroy()
      })
      const http = yield* outbound()
      assert.strictEqual(yield* posted(http, url), 204)
      isWell = false
      assert.strictEqual(yield* posted(http, url), "The connection was closed before an answer")
      assert.deepStrictEqual(counts(), { connections: 2, requests: 3 })
      assert.strictEqual(yield* posted(http, url), "The connection was closed before an answer")
      assert.deepStrictEqual(counts(), { connections: 3, requests: 4 })
    })
  )

  it.live("within an answer lets the request fail", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver(breaking((socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-")))
      const http = yield* outbound()
      assert.strictEqual(yield* posted(http, url), 204)
      assert.strictEqual(yield* posted(http, url), "The connection was closed before an answer")
      assert.deepStrictEqual(counts(), { connections: 1, requests: 2 })
    })
  )

  it.live("between two requests at any moment disturbs none of them", () =>
    Effect.gen(function* () {
      const { counts, url } = yield* receiver((response, nth) => {
        response.writeHead(204).end()
        const { socket } = response
        const end = () => (nth % 2 === 0 ? socket?.destroy() : socket?.end())
        if (nth % 3 === 0) setImmediate(end)
        else if (nth % 5 === 0) response.once("finish", end)
        else if (nth % 7 === 0) setTimeout(end, 1)
      })
      const http = yield* outbound()
      const one = (n: number) => Effect.delay(posted(http, url), n % 4)
      const numbers = Array.from({ length: 400 }, (_, n) => n)
      const statuses = yield* Effect.forEach(numbers, one, { concurrency: 4 })
      assert.deepStrictEqual(new Set(statuses), new Set([204]))
      assert.isBelow(counts().connections, 400)
    })
  )
})

describe("A kept connection over https", () => {
  it.live("belongs to the name of its certificate", () =>
    Effect.gen(function* () {
      const https = yield* receiver(ok, overTls)
      const http = yield* outbound()
      const url = (host: string) => `https://${host}:${https.port}/`
      assert.strictEqual(yield* posted(http, url("receiver.test")), "The certificate is self-signed")
      yield* trusted
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* posted(http, url("receiver.test")), 204)
      assert.deepStrictEqual(https.counts(), { connections: 2, requests: 3 })
      assert.strictEqual(yield* posted(http, url("other.test")), "The certificate is for another name")
      assert.strictEqual(https.counts().requests, 3)
    })
  )

  it.live.each(tlsBreaks)("that ends %s before an answer makes the request go out again", ([, how]) =>
    Effect.gen(function* () {
      yield* trusted
      const https = yield* receiver(breaking(how), overTls)
      const http = yield* outbound()
      for (const _ of [1, 2]) assert.strictEqual(yield* posted(http, `https://receiver.test:${https.port}`), 204)
      assert.deepStrictEqual(https.counts(), { connections: 2, requests: 3 })
    })
  )
})
