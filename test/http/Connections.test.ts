import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Logger, Schedule, Stream } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import { ConnectionLimits } from "../../src/http/ConnectionLimits.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Server from "../../src/http/Server.ts"

const chunk = new Uint8Array(64 * 1024)
const large = 64 * 1024 * 1024
let counted = 0
let say = () => {}
let cut = () => {}
const untilCut = new Promise<void>((resolve) => {
  cut = resolve
})
const untilSaid = new Promise<void>((resolve) => {
  say = resolve
})

/** A response without end, and one that pauses between its two words. */
const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.text("here")),
  HttpRouter.add(
    "GET",
    "/counted",
    Effect.sync(() => HttpServerResponse.text(String((counted += 1))))
  ),
  HttpRouter.add("GET", "/large", HttpServerResponse.uint8Array(new Uint8Array(large))),
  HttpRouter.add(
    "GET",
    "/endless",
    Effect.succeed(HttpServerResponse.stream(Stream.ensuring(Stream.forever(Stream.make(chunk)), Effect.sync(cut))))
  ),
  HttpRouter.add(
    "GET",
    "/silent",
    Effect.succeed(
      HttpServerResponse.stream(
        Stream.concat(
          Stream.make("one"),
          Stream.fromEffect(
            Effect.as(
              Effect.promise(() => untilSaid),
              "two"
            )
          )
        ).pipe(Stream.encodeText)
      )
    )
  )
)

const listening = (limits: Partial<ConnectionLimits>, settings: Record<string, string> = {}) =>
  RequestBoundary.serve(routes).pipe(
    Layer.provideMerge(Server.layer),
    Layer.provide(NodeCrypto.layer),
    Layer.provide(
      Layer.effect(
        ConnectionLimits,
        Effect.map(ConnectionLimits, (usual) => ({ ...usual, ...limits }))
      )
    ),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PORT: "0", ...settings }))),
    Layer.provide(Logger.layer([]))
  )

const port = HttpServer.addressFormattedWith((address) => Effect.succeed(Number(new URL(address).port)))

const once = (socket: Socket, event: "connect" | "close" | "data") =>
  Effect.promise(() => new Promise<string>((resolve) => socket.once(event, (data) => resolve(String(data)))))

/** A client's connection from an address of this machine. */
const client = Effect.fnUntraced(function* (localAddress = "127.0.0.1") {
  const at = yield* port
  return yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect({ port: at, host: "127.0.0.1", localAddress }, () => resolve(socket))
          socket.on("error", () => {})
        })
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** The status of a response over another connection, as soon as the server has room for it. */
const served = (localAddress?: string) =>
  Effect.gen(function* () {
    const socket = yield* client(localAddress)
    socket.write(get("/"))
    const answer = yield* Effect.raceFirst(
      once(socket, "data"),
      Effect.andThen(once(socket, "close"), Effect.fail("closed"))
    )
    return answer.slice(0, "HTTP/1.1 200".length)
  }).pipe(Effect.retry(Schedule.spaced("10 millis")))

it.live("The server limits the connections of one address and of all addresses together", () =>
  Effect.gen(function* () {
    const [first] = yield* Effect.all([client(), client(), client()])
    yield* once(yield* client(), "close")
    assert.strictEqual(yield* served("127.0.0.2"), "HTTP/1.1 200")
    // Any client can use a connection that is free again.
    first?.destroy()
    assert.strictEqual(yield* served(), "HTTP/1.1 200")
  }).pipe(Effect.provide(listening({ connections: 5, connectionsPerSource: 3 })))
)

it.live("Waiting connections of any address make room for another; a connection in service stays", () =>
  Effect.gen(function* () {
    const busy = yield* client()
    busy.write(get("/silent"))
    yield* once(busy, "data")
    const half = yield* client("127.0.0.2")
    half.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
    const idle = yield* client("127.0.0.3")
    const gone = yield* Effect.all([once(half, "close"), once(idle, "close")], { concurrency: 2 }).pipe(
      Effect.forkChild
    )
    for (const socket of [half, idle]) socket.resume()
    yield* client("127.0.0.4")
    assert.strictEqual(yield* served("127.0.0.5"), "HTTP/1.1 200")
    yield* Fiber.join(gone)
    assert.isFalse(busy.destroyed)
    busy.destroy()
  }).pipe(
    Effect.provide(listening({ connections: 3, connectionsPerSource: 1, requestMillis: 600_000, headMillis: 600_000 }))
  )
)

it.live("A connection with a recent request stays longer than an idle one that arrived later", () =>
  Effect.gen(function* () {
    const customer = yield* client()
    const idle = yield* client("127.0.0.2")
    const ask = Effect.suspend(() => {
      customer.write(get("/"))
      return once(customer, "data")
    })
    yield* ask
    const gone = yield* Effect.forkChild(once(idle.resume(), "close"))
    yield* client("127.0.0.3")
    yield* Effect.raceFirst(Fiber.join(gone), Effect.andThen(once(customer, "close"), Effect.fail("cut off")))
    assert.match(yield* ask, /^HTTP\/1.1 200/)
  }).pipe(
    Effect.provide(listening({ connections: 2, connectionsPerSource: 1, requestMillis: 600_000, headMillis: 600_000 }))
  )
)

it.live("Clients of any address that read their responses slowly make room for another", () =>
  Effect.gen(function* () {
    const busy = yield* client()
    busy.write(get("/silent"))
    yield* once(busy, "data")
    for (const address of ["127.0.0.2", "127.0.0.3"]) {
      const slow = yield* client(address)
      slow.write(get("/large"))
      yield* once(slow, "data")
      slow.pause()
    }
    assert.strictEqual(yield* served("127.0.0.4"), "HTTP/1.1 200")
    assert.isFalse(busy.destroyed)
    busy.destroy()
  }).pipe(Effect.provide(listening({ connections: 3, connectionsPerSource: 1, unreadMillis: 600_000 })))
)

for (const TRUST_PROXY of ["0", "1"])
  it.live(`Slow clients keep only so much of the memory busy, with ${TRUST_PROXY} reverse proxies`, () =>
    Effect.gen(function* () {
      const slow: Array<Socket> = []
      for (let n = 0; n < 3; n++) {
        const one = yield* client()
        one.write(get("/large"))
        yield* once(one, "data")
        one.pause()
        slow.push(one)
      }
      const [first, ...others] = slow
      assert.isDefined(first)
      // The rest of the first response is lost, and the others arrive.
      first!.resume()
      yield* once(first!, "close")
      assert.isBelow(first!.bytesRead, large)
      for (const other of others) {
        other.resume()
        while (other.bytesRead < large) yield* once(other, "data")
      }
      assert.strictEqual(yield* served(), "HTTP/1.1 200")
    }).pipe(Effect.provide(listening({ unreadBytes: 2.5 * large, lookMillis: 20 }, { TRUST_PROXY })))
  )

it.live("A packet of many requests ends its connection before they begin; a packet of a few is answered", () =>
  Effect.gen(function* () {
    const few = yield* client()
    let answers = ""
    const answered = new Promise<void>((resolve) =>
      few.on("data", (data) => {
        answers += String(data)
        if (answers.endsWith("16")) resolve()
      })
    )
    few.write(get("/counted").repeat(16))
    yield* Effect.promise(() => answered)
    const many = yield* client()
    many.resume()
    many.write(get("/counted").repeat(1_000))
    yield* once(many, "close")
    assert.isAtMost(counted, 32)
    assert.strictEqual(yield* served(), "HTTP/1.1 200")
  }).pipe(Effect.provide(listening({})))
)

it.live("Behind a reverse proxy the server limits only all connections together", () =>
  Effect.gen(function* () {
    yield* Effect.all([client(), client()])
    assert.strictEqual(yield* served(), "HTTP/1.1 200")
    yield* once(yield* client(), "close")
  }).pipe(Effect.provide(listening({ connections: 3, connectionsPerSource: 1 }, { TRUST_PROXY: "1" })))
)

it.live("A connection ends when it sends no head, half a head or half a body", () =>
  Effect.gen(function* () {
    const [none, head, body] = yield* Effect.all([client(), client(), client()])
    head?.write("GET / HTTP/1.1\r\nHost: lo")
    body?.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
    for (const socket of [none, head, body]) socket?.resume()
    yield* Effect.all(
      [none, head, body].map((socket) => once(socket!, "close")),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.provide(listening({ headMillis: 100, requestMillis: 200, lookMillis: 20 })))
)

it.live("A connection ends when it sends no first request, or no further one", () =>
  Effect.gen(function* () {
    const [none, answered] = yield* Effect.all([client(), client()])
    answered?.write(get("/"))
    assert.include(yield* once(answered!, "data"), "here")
    for (const socket of [none, answered]) socket?.resume()
    yield* Effect.all(
      [none, answered].map((socket) => once(socket!, "close")),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.provide(listening({ idleMillis: 20, unreadMillis: 20 })))
)

it.live(
  "The server disconnects a client that does not read its response, and keeps a client that waits for the rest",
  () =>
    Effect.gen(function* () {
      const silent = yield* client()
      silent.write(get("/silent"))
      assert.include(yield* once(silent, "data"), "one")
      const unread = yield* client()
      unread.pause()
      unread.write(get("/endless"))
      yield* Effect.promise(() => untilCut)
      say()
      assert.include(yield* once(silent, "data"), "two")
    }).pipe(Effect.provide(listening({ unreadMillis: 200 })))
)

const program = `
  import { Effect, Layer } from "effect"
  import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
  import * as fs from "node:fs"
  import * as RequestBoundary from ${JSON.stringify(new URL("../../src/http/RequestBoundary.ts", import.meta.url).href)}
  import * as Server from ${JSON.stringify(new URL("../../src/http/Server.ts", import.meta.url).href)}
  const route = HttpRouter.add("GET", "/", Effect.sync(() => HttpServerResponse.text(fs.readFileSync("/dev/null", "utf8"))))
  const told = Layer.effectDiscard(HttpServer.addressFormattedWith((address) => Effect.sync(() => console.log(address))))
  Effect.runFork(Layer.launch(told.pipe(Layer.provide(RequestBoundary.serve(route)), Layer.provide(Server.layer))))
`

it.live("More idle connections of one client than the process has files leave room for other clients", () =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn("/bin/sh", ["-c", 'ulimit -n 256 && exec "$0" --input-type=module -e "$1"', process.execPath, program], {
          stdio: ["ignore", "pipe", "inherit"],
          env: { PORT: "0" }
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let output = ""
    const at = yield* Effect.promise(
      () =>
        new Promise<number>((resolve) =>
          child.stdout.on("data", (data) => {
            output += data
            const found = /http:\/\/\S+:(\d+)/.exec(output)
            if (found !== null) resolve(Number(found[1]))
          })
        )
    )
    assert.match(
      output,
      /may open only 256 files, so the API accepts at most 128 connections at once, 16 from one address/
    )
    let closed = 0
    const strangers = Array.from({ length: 400 }, () => {
      const socket = connect({ port: at, host: "127.0.0.1", localAddress: "127.0.0.9" })
      socket.on("error", () => {}).on("close", () => (closed += 1))
      return socket
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => strangers.forEach((socket) => socket.destroy())))
    yield* Effect.promise(
      () =>
        new Promise<void>((resolve) =>
          strangers.forEach((socket) => socket.on("close", () => closed >= 400 - 16 && resolve()))
        )
    )
    const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${at}/`))
    assert.strictEqual(answer.status, 200)
  }).pipe(Effect.scoped)
)
