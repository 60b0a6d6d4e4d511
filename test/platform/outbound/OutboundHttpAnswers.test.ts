import { assert, describe, it } from "@effect/vitest"
import { ByteSize, Context, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse, HttpIncomingMessage } from "effect/http"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { RequestListener } from "node:http"
import * as Https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { OutboundHttp, reasonOf } from "../../../src/platform/outbound/OutboundHttp.ts"
import { certificate } from "../../support/SelfSigned.ts"
import { silentPort } from "../../support/SilentListener.ts"
import { rawReceiver } from "./RawReceiver.ts"
import { trusted } from "./Trusted.ts"

const everywhere = { has: () => true }

const clientWith = (resolve: (name: string) => Promise<ReadonlyArray<string>> = async () => ["127.0.0.1"]) =>
  Layer.build(OutboundHttp.layerWith({ allow: everywhere, resolve })).pipe(
    Effect.map((context) => HttpClient.withScope(Context.get(context, OutboundHttp).client))
  )

const sent = <A, E>(
  url: string,
  use: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E>,
  client = clientWith()
) =>
  client.pipe(
    Effect.flatMap(({ execute }) => execute(HttpClientRequest.bodyText(HttpClientRequest.post(url), "a"))),
    Effect.flatMap(use),
    Effect.mapError(reasonOf),
    Effect.scoped
  )

const statusOf = (url: string) => sent(url, ({ status }) => Effect.succeed(status))

const saying = (text: string) => rawReceiver((socket) => void socket.write(text))

const endlessly = (text: string) => (socket: Socket) => {
  const go = () => {
    while (socket.writable && socket.write(text));
    socket.once("drain", go)
  }
  go()
}

describe("A response", () => {
  it.live("leads to no other URL when it is a redirect", () =>
    Effect.gen(function* () {
      const target = yield* saying("HTTP/1.1 200 OK\r\n\r\n")
      const receiver = yield* saying(`HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:${target.port}/\r\n\r\n`)
      assert.strictEqual(yield* statusOf(`http://127.0.0.1:${receiver.port}`), 307)
      assert.strictEqual(target.connections(), 0)
      yield* receiver.closed
    })
  )

  it.live.each([
    ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", 200],
    ["HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: any\r\n\r\nab", 101],
    ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n", 204]
  ] as const)("leaves no connection open: %j", ([text, status]) =>
    Effect.gen(function* () {
      const receiver = yield* saying(text)
      assert.strictEqual(yield* statusOf(`http://127.0.0.1:${receiver.port}`), status)
      yield* receiver.closed
    })
  )

  it.live("is read up to the caller's limit", () =>
    Effect.gen(function* () {
      const receiver = yield* rawReceiver((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        endlessly("x".repeat(10_000))(socket)
      })
      const read = sent(`http://127.0.0.1:${receiver.port}`, (response) => response.arrayBuffer)
      yield* Effect.flip(Effect.provideService(read, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(10_000)))
      yield* receiver.closed
    })
  )

  it.live("has its status when most of a large body arrives with its head", () =>
    Effect.gen(function* () {
      const receiver = yield* saying(`HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n${"x".repeat(60_000)}`)
      assert.strictEqual(yield* statusOf(`http://127.0.0.1:${receiver.port}`), 200)
    })
  )

  it.live.each([
    [`HTTP/1.1 200 OK\r\na: ${"x".repeat(17_000)}\r\n\r\n`, "The headers of the answer are larger than 16 KiB"],
    ["SSH-2.0-OpenSSH_9.9\r\n", "The answer is not HTTP"]
  ] as const)("is refused unless it is HTTP with a head of limited size: %#", ([text, reason]) =>
    Effect.gen(function* () {
      const receiver = yield* saying(text)
      assert.strictEqual(yield* Effect.flip(statusOf(`http://127.0.0.1:${receiver.port}`)), reason)
      yield* receiver.closed
    })
  )

  it.live("that never arrives gives a reason in words", () =>
    Effect.gen(function* () {
      const closing = yield* rawReceiver((socket) => socket.destroy())
      const url = `http://127.0.0.1:${closing.port}`
      assert.strictEqual(yield* Effect.flip(statusOf(url)), "The connection was closed before an answer")
      yield* Effect.promise(closing.stop)
      assert.strictEqual(yield* Effect.flip(statusOf(url)), "Connection refused")
      const plain = yield* saying("HTTP/1.1 200 OK\r\n\r\n")
      const secure = `https://127.0.0.1:${plain.port}`
      assert.strictEqual(yield* Effect.flip(statusOf(secure)), "The TLS handshake failed")
      assert.strictEqual(reasonOf(yield* Effect.flip(Effect.timeout(Effect.never, 1))), "No answer in time")
    })
  )

  it.live("belongs to a request without trace headers and without keep-alive", () =>
    Effect.gen(function* () {
      const heads: Array<string> = []
      const receiver = yield* rawReceiver((socket) => {
        socket.on("data", (bytes) => {
          heads.push(bytes.toString())
          socket.end("HTTP/1.1 200 OK\r\n\r\n")
        })
      })
      yield* Effect.withSpan(statusOf(`http://127.0.0.1:${receiver.port}`), "caller")
      const head = heads.join("").toLowerCase()
      assert.match(head, /\r\nconnection: close\r\n/)
      assert.notMatch(head, /traceparent|b3:/)
    })
  )
})

describe("An interrupted request", () => {
  it.live("stops resolving its name, and connects nowhere when the name resolves later", () =>
    Effect.gen(function* () {
      const receiver = yield* saying("HTTP/1.1 200 OK\r\n\r\n")
      const url = `http://slow.test:${receiver.port}`
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<ReadonlyArray<string>>()
      const client = clientWith(() => {
        asked.resolve()
        return answer.promise
      })
      const request = yield* Effect.forkChild(sent(url, () => Effect.void, client))
      yield* Effect.promise(() => asked.promise)
      yield* Fiber.interrupt(request)
      answer.resolve(["127.0.0.1"])
      yield* statusOf(url)
      assert.strictEqual(receiver.connections(), 1)
    })
  )

  it.live("stops connecting", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(silentPort)
      const created = Promise.withResolvers<Socket>()
      const onCreated = (message: any) => created.resolve(message.socket)
      subscribe("net.client.socket", onCreated)
      const request = yield* Effect.forkChild(statusOf(`http://127.0.0.1:${port}`))
      const socket = yield* Effect.promise(() => created.promise)
      unsubscribe("net.client.socket", onCreated)
      assert.isTrue(socket.connecting)
      yield* Fiber.interrupt(request)
      assert.isTrue(socket.destroyed)
    })
  )

  it.live.each([
    ["the TLS handshake", "https", () => {}],
    ["the head", "http", () => {}],
    ["the head after an interim one", "http", (socket: Socket) => void socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")]
  ] as const)("ends the connection while it waits for %s", ([, scheme, serve]) =>
    Effect.gen(function* () {
      const receiver = yield* rawReceiver(serve)
      const request = yield* Effect.forkChild(statusOf(`${scheme}://127.0.0.1:${receiver.port}`))
      yield* Effect.repeat(Effect.delay(Effect.sync(receiver.connections), 20), { until: (count) => count === 1 })
      assert.isUndefined(request.pollUnsafe())
      yield* Fiber.interrupt(request)
      yield* receiver.closed
    })
  )

  it.live("ends the connection while it reads the body", () =>
    Effect.gen(function* () {
      const receiver = yield* saying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
      const reading = yield* Effect.forkChild(sent(`http://127.0.0.1:${receiver.port}`, (response) => response.text))
      yield* receiver.connected
      yield* Fiber.interrupt(reading)
      yield* receiver.closed
    })
  )
})

const answer: RequestListener = (_, response) => response.end("secret")

const serverWith = (options: Https.ServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = Https.createServer({ ...certificate, ...options }, answer)
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((done) => server.close(done))
      })
  )

describe("A request over https", () => {
  const server = serverWith({})

  it.live("accepts only a trusted certificate for the name in its URL", () =>
    Effect.gen(function* () {
      const { port } = (yield* server).address() as AddressInfo
      assert.strictEqual(
        yield* Effect.flip(statusOf(`https://receiver.test:${port}`)),
        "The certificate is self-signed"
      )
      yield* trusted
      assert.strictEqual(yield* sent(`https://receiver.test:${port}`, (response) => response.text), "secret")
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]))
      const wrong = yield* Effect.flip(statusOf(`https://other.test:${port}`))
      assert.strictEqual(wrong, "The certificate is for another name")
    })
  )

  it.live("ends a connection that sends session tickets without end", () =>
    Effect.gen(function* () {
      yield* trusted
      const silent = yield* serverWith({})
      silent.removeAllListeners("request")
      const { port } = silent.address() as AddressInfo
      const created = Promise.withResolvers<Socket>()
      const onCreated = (message: any) => created.resolve(message.socket)
      subscribe("net.client.socket", onCreated)
      const request = yield* Effect.forkChild(
        Effect.flip(Effect.timeout(statusOf(`https://receiver.test:${port}`), 60_000))
      )
      const socket = yield* Effect.promise(() => created.promise)
      unsubscribe("net.client.socket", onCreated)
      for (let sent = 0; sent < 60; sent += 1) socket.emit("session", Buffer.alloc(1024))
      assert.strictEqual(yield* Fiber.join(request), "The answer is larger than 48 KiB")
    })
  )

  it.live("makes no second handshake when the server requests one", () =>
    Effect.gen(function* () {
      yield* trusted
      const tls12 = yield* serverWith({ maxVersion: "TLSv1.2" })
      const { port } = tls12.address() as AddressInfo
      const outcome = Promise.withResolvers<string>()
      tls12.once("secureConnection", (socket: TLSSocket) => {
        socket.on("error", ({ message }) => outcome.resolve(message))
        socket.renegotiate({}, () => outcome.resolve("again"))
      })
      tls12.removeAllListeners("request")
      const request = yield* Effect.forkChild(Effect.exit(statusOf(`https://receiver.test:${port}`)))
      assert.match(yield* Effect.promise(() => outcome.promise), /no renegotiation/)
      yield* Fiber.interrupt(request)
    })
  )
})
