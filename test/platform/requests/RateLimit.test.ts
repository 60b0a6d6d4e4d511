import { assert, it } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Duration, Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import { type AddressInfo, createServer, type Socket } from "node:net"
import * as RequestBoundary from "../../../src/http/RequestBoundary.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import * as RateLimitMemory from "../../../src/platform/requests/RateLimitMemory.ts"
import * as RateLimitRedis from "../../../src/platform/requests/RateLimitRedis.ts"
import { frozenTime } from "../../support/FrozenTime.ts"

const configured = (settings: Record<string, string>) =>
  RateLimit.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))))

const startFailure = (url: string) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(configured({ REDIS_URL: url })))), ({ message }) => message)

const rules = [
  { name: "narrow", limit: 2, window: Duration.minutes(1) },
  { name: "wide", limit: 10, window: Duration.hours(1) }
] as const

const server = (settings: Record<string, string>) =>
  RequestBoundary.serve(
    HttpRouter.add(
      "GET",
      "/",
      Effect.gen(function* () {
        const { enforce } = yield* RateLimit
        for (const rule of rules) yield* enforce(rule, "caller")
        return HttpServerResponse.empty({ status: 200 })
      }).pipe(
        Effect.catchTag("RateLimited", ({ details }) =>
          Effect.succeed(HttpServerResponse.jsonUnsafe(details, { status: 429 }))
        )
      )
    )
  ).pipe(Layer.provideMerge(configured(settings)), Layer.provideMerge(NodeHttpServer.layerTest))

const get = Effect.map(HttpClient.get("/"), ({ headers, status }) => ({ headers, status }))

/** A server that speaks enough of the Redis protocol to connect to, until it falls silent or ends. */
const fakeRedis = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = { silent: false, received: "", connections: new Set<Socket>() }
    const listener = createServer((socket) => {
      state.connections.add(socket.on("error", () => {}))
      socket.on("data", (data) => {
        state.received += data
          .toString()
          .replaceAll(/\$\d+\r\n/g, "")
          .replaceAll("\r\n", " ")
        if (state.silent) return
        for (const [, command] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
          socket.write(
            command === "HELLO" ? "%0\r\n" : /^EVAL/i.test(command ?? "") ? "*2\r\n$1\r\n1\r\n:5000\r\n" : "+OK\r\n"
          )
      })
    })
    await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve))
    const { port } = listener.address() as AddressInfo
    const stop = () => {
      listener.close()
      for (const socket of state.connections) socket.destroy()
    }
    return { state, stop, url: `redis://:secret@127.0.0.1:${port}` }
  }),
  ({ stop }) => Effect.sync(stop)
)

it.layer(server({}))("Several limits of one request", (it) => {
  it.effect("share the headers, and the exceeded limit sets Retry-After", () =>
    Effect.gen(function* () {
      const first = yield* get
      assert.strictEqual(first.headers["ratelimit-policy"], `"narrow";q=2;w=60, "wide";q=10;w=3600`)
      assert.strictEqual(first.headers["ratelimit"], `"narrow";r=1;t=30, "wide";r=9;t=360`)
      yield* get
      const refused = yield* get
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["ratelimit"], `"narrow";r=0;t=60`)
      assert.strictEqual(refused.headers["retry-after"], "60")
    })
  )
})

it.live.each([
  ["is gone", (redis: { state: { silent: boolean }; stop: () => void }) => redis.stop()],
  ["no longer answers", (redis: { state: { silent: boolean } }) => void (redis.state.silent = true)]
] as const)("A Redis that %s delays no request for long, and the limits stay in force", ([, fail]) =>
  Effect.gen(function* () {
    yield* frozenTime
    const redis = yield* fakeRedis
    const logged: Array<unknown> = []
    const context = yield* Layer.build(server({ REDIS_URL: redis.url })).pipe(
      Effect.provideService(
        References.CurrentLoggers,
        new Set([Logger.make(({ message }) => void logged.push(message))])
      )
    )
    const request = Effect.provideContext(get, context)
    for (let n = 0; n < 5; n++) assert.strictEqual((yield* request).status, 200)
    fail(redis)
    const statuses = yield* Effect.all(Array.from({ length: 10 }, () => Effect.map(request, ({ status }) => status)))
    assert.deepStrictEqual(statuses, [200, 200, ...Array.from({ length: 8 }, () => 429)])
    assert.lengthOf(
      logged.filter((message) => JSON.stringify(message).includes("counts alone")),
      1
    )
    assert.notInclude(JSON.stringify(logged), "secret")
  }).pipe(Effect.scoped)
)

it.live("Redis does not store a use that alone exceeds the limit, although it accepts the first use of a key", () =>
  Effect.gen(function* () {
    const redis = yield* fakeRedis
    const count = yield* RateLimitRedis.make(Redacted.make(redis.url), RateLimitMemory.make())
    const use = (key: string, tokens: number) => count({ key, tokens, limit: 10, refillRate: Duration.seconds(6) })
    yield* use("fits", 10)
    assert.include(redis.state.received, "fits 10 6000 10 ")
    assert.deepStrictEqual(yield* use("never fits", 11), [12, 5000])
    assert.include(redis.state.received, "never fits 0 6000 10 ")
    assert.notInclude(redis.state.received, "never fits 11 ")
  }).pipe(Effect.scoped)
)

it.live.each(["not a url", "http://localhost:6379", "secret:hunter2"])(
  "The start refuses REDIS_URL=%s by name",
  (url) =>
    Effect.gen(function* () {
      const message = yield* startFailure(url)
      assert.include(message, "REDIS_URL")
      assert.include(message, "must be a redis:// or rediss:// URL")
      assert.notInclude(message, "hunter2")
    })
)

it.live("A missing Redis stops the start with one line that names REDIS_URL", () =>
  Effect.gen(function* () {
    const { stop, url } = yield* fakeRedis
    stop()
    for (const address of [url, url.replace("127.0.0.1", "localhost")])
      assert.match(
        yield* startFailure(address),
        /^REDIS_URL: the Redis server cannot be used: connect ECONNREFUSED \S+(, connect ECONNREFUSED \S+)?$/
      )
    assert.match(yield* startFailure(`${url}/name`), /^REDIS_URL: the Redis server cannot be used: /)
  }).pipe(Effect.scoped)
)

it.live("A Redis that never answers stops the start", () =>
  Effect.gen(function* () {
    const { state, url } = yield* fakeRedis
    state.silent = true
    assert.match(yield* startFailure(url), /^REDIS_URL: the Redis server cannot be used: .*timeout/)
  }).pipe(Effect.scoped)
)
