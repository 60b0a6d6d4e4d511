import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Exit, Layer, Schema } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as http from "node:http"
import * as net from "node:net"
import * as ApiServer from "../../src/http/ApiServer.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as RequestValidation from "../../src/http/RequestValidation.ts"
import { ApiError } from "../../src/platform/errors/ApiError.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import { discrepancies } from "../support/Discrepancies.ts"
import { request } from "../support/TestServer.ts"

class Missing extends ApiError<Missing>()("Missing", { status: 404, detail: "There is none" }) {}

const Cat = Schema.Struct({ cat: Schema.String })
const Dog = Schema.Struct({ dog: Schema.BigInt })

/** What the contract can express and the interpreter serves. */
class Animals extends HttpApiGroup.make("animals")
  .add(
    HttpApiEndpoint.get("one", "/animals/:name", {
      params: { name: Schema.String },
      query: {
        loud: Schema.optionalKey(Schema.Literals(["yes", "no"])),
        age: Schema.optionalKey(Schema.FiniteFromString)
      },
      headers: { "x-zoo": Schema.optionalKey(Schema.String) },
      success: [Cat, Dog.pipe(HttpApiSchema.status(203))],
      error: Missing
    }),
    HttpApiEndpoint.post("add", "/animals", {
      payload: Cat,
      success: [
        HttpApiSchema.WithHeaders(Cat.pipe(HttpApiSchema.status(201)), { "x-count": Schema.FiniteFromString }),
        HttpApiSchema.NoContent
      ]
    }),
    HttpApiEndpoint.delete("remove", "/animals/:name", { params: { name: Schema.String } }),
    HttpApiEndpoint.get("wait", "/wait", { success: Cat }),
    HttpApiEndpoint.get("raw", "/raw", { success: Cat }),
    HttpApiEndpoint.get("broken", "/broken", { success: Cat })
  )
  .prefix("/test") {}

const api = HttpApi.make("zoo").add(Animals).middleware(RequestValidation.RequestValidation)

const interrupted = Deferred.makeUnsafe<void>()
const begun = Deferred.makeUnsafe<void>()

const handlers = HttpApiBuilder.group(api, "animals", (handlers) =>
  handlers
    .handle("one", ({ headers, params, query }) => {
      if (params.name === "rex") return Effect.succeed({ dog: 7n })
      if (params.name === "none") return Effect.fail(new Missing())
      return Effect.succeed({ cat: JSON.stringify([params.name, query, headers["x-zoo"] ?? null]) })
    })
    .handle("add", ({ payload }) =>
      Effect.succeed(
        payload.cat === "silent" ? undefined : HttpApiSchema.withHeaders({ body: payload, headers: { "x-count": 3 } })
      )
    )
    .handle("remove", () => Effect.void)
    .handle("wait", () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    )
    .handleRaw("broken", () => Effect.succeed(HttpServerResponse.jsonUnsafe({}, { headers: { "x-own": "a\nb" } })))
    .handleRaw("raw", () =>
      Effect.succeed(HttpServerResponse.jsonUnsafe({ cat: "raw" }, { headers: { "x-own": "1" } }))
    )
)

const settings = ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))

const serving = RequestBoundary.serve(
  ApiServer.layer(api).pipe(Layer.provide(handlers), Layer.provide(RequestValidation.layer))
).pipe(Layer.provideMerge(LoopbackServer.layer), Layer.provide(settings))

const port = HttpServer.addressFormattedWith((address) => Effect.succeed(Number(new URL(address).port)))

/** Sends bytes, and returns what has come when the server ends the connection, or after `enough` of it has come. */
const sent = (port: number, parts: ReadonlyArray<string>, enough: (text: string) => boolean = () => false) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = net.connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part)
    })
    const end = () => {
      resume(Effect.succeed(text))
      socket.destroy()
    }
    socket.on("data", (data) => {
      text += String(data)
      if (enough(text)) end()
    })
    socket.on("error", end).on("close", end)
  })

layer(serving)("An operation of the API", (it) => {
  it.effect("gets its parts decoded, and answers with the first schema that fits", () =>
    Effect.gen(function* () {
      const cat = yield* request("GET", "/test/animals/to%20m?loud=yes&age=4", { headers: { "x-zoo": "north" } })
      assert.deepStrictEqual([cat.status, JSON.parse(cat.body.cat)], [200, ["to m", { loud: "yes", age: 4 }, "north"]])
      const dog = yield* request("GET", "/test/animals/rex")
      assert.deepStrictEqual([dog.status, dog.body], [203, { dog: "7" }])
    })
  )

  it.effect("answers with headers, without a body, with a failure, and with a response of its own", () =>
    Effect.gen(function* () {
      const added = yield* request("POST", "/test/animals", { body: { cat: "tom" } })
      assert.deepStrictEqual([added.status, added.body, added.headers["x-count"]], [201, { cat: "tom" }, "3"])
      const silent = yield* request("POST", "/test/animals", { body: { cat: "silent" } })
      assert.deepStrictEqual([silent.status, silent.body], [204, null])
      const removed = yield* request("DELETE", "/test/animals/tom")
      assert.deepStrictEqual([removed.status, removed.body, removed.headers["content-length"]], [204, null, undefined])
      const none = yield* request("GET", "/test/animals/none")
      assert.deepStrictEqual([none.status, none.body], [404, { detail: "There is none", code: "NOT_FOUND" }])
      const raw = yield* request("GET", "/test/raw")
      assert.deepStrictEqual([raw.status, raw.body, raw.headers["x-own"]], [200, { cat: "raw" }, "1"])
    })
  )

  it.effect("refuses a request with the faults of all its parts", () =>
    Effect.gen(function* () {
      const { body, status } = yield* request("GET", "/test/animals/tom?loud=maybe&age=old")
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(
        body.detail.map(({ loc }: any) => loc),
        [
          ["query", "loud"],
          ["query", "age"]
        ]
      )
      const empty = yield* request("POST", "/test/animals")
      const malformed = yield* request("POST", "/test/animals", { body: "{" })
      const form = yield* request("POST", "/test/animals", { body: "a=b", headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual([empty.status, malformed.status, form.status], [422, 422, 415])
      assert.strictEqual(malformed.body.detail[0].type, "json_invalid")
    })
  )

  it.effect("is interrupted when its client goes away", () =>
    Effect.gen(function* () {
      const url = `http://127.0.0.1:${yield* port}/test/wait`
      const sent = http.get(url).on("error", () => {})
      yield* Deferred.await(begun)
      sent.destroy()
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("whose answer cannot be written ends its connection only", () =>
    Effect.gen(function* () {
      const text = yield* sent(yield* port, ["GET /test/broken HTTP/1.1\r\nHost: x\r\n\r\n"])
      assert.strictEqual(text, "")
      assert.strictEqual((yield* request("GET", "/test/animals/rex")).status, 203)
    })
  )

  it.effect("tells a client that waits for it to send its body", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ cat: "tom" })
      const head = `POST /test/animals HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
      const text = yield* sent(yield* port, [head, body], (text) => text.includes("HTTP/1.1 201"))
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
    })
  )

  it.effect("refuses a body that is too large, without reading more than it needs", () =>
    Effect.gen(function* () {
      const announced = "POST /test/animals HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
      const chunked = "POST /test/animals HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`
      // The connection ends by itself, although the client would send more.
      for (const parts of [
        [announced, ...Array.from({ length: 20 }, () => chunk)],
        [chunked, ...Array.from({ length: 20 }, () => chunk)]
      ])
        assert.match(yield* sent(yield* port, parts), /^HTTP\/1\.1 413 /)
    })
  )

  it.effect("leaves the connection open after a refusal before a short body", () =>
    Effect.gen(function* () {
      const refused =
        "POST /test/animals HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
      const next = "GET /test/animals/rex HTTP/1.1\r\nHost: x\r\n\r\n"
      const text = yield* sent(yield* port, [refused, next], (text) => text.includes("dog"))
      assert.match(text, /^HTTP\/1\.1 415 [^]*HTTP\/1\.1 203 /)
    })
  )
})

/** The end of a start with this one operation. */
const start = (endpoint: HttpApiEndpoint.Top) => {
  const api = HttpApi.make("api").add(HttpApiGroup.make("group").add(endpoint)) as any
  const handlers = HttpApiBuilder.group(api, "group", (handlers: any) => handlers.handle("x", () => Effect.void))
  const serving: Layer.Layer<any, unknown, any> = RequestBoundary.serve(
    ApiServer.layer(api).pipe(Layer.provide(handlers as any)) as any
  )
  const all = serving.pipe(Layer.provide(LoopbackServer.layer), Layer.provide(settings))
  return Effect.exit(Effect.scoped(Layer.build(all as Layer.Layer<any>)))
}

describe("The start", () => {
  it.effect.each([
    ["a stream", HttpApiEndpoint.get("x", "/x", { success: HttpApiSchema.StreamUint8Array() })],
    ["text", HttpApiEndpoint.get("x", "/x", { success: Schema.String.pipe(HttpApiSchema.asText()) })],
    ["an upgrade", HttpApiEndpoint.get("x", "/x", { success: HttpApiSchema.Upgrade({ protocol: "echo" }) })],
    ["a form", HttpApiEndpoint.post("x", "/x", { payload: Cat.pipe(HttpApiSchema.asFormUrlEncoded()) })]
  ] as const)("refuses an operation with %s, which the interpreter does not serve", ([, endpoint]) =>
    Effect.gen(function* () {
      const exit = yield* start(endpoint as unknown as HttpApiEndpoint.Top)
      assert.isTrue(Exit.isFailure(exit))
      assert.match(String(exit), /group\.x: an operation of the API (?:answers|reads)/)
    })
  )
})

describe("The framework", () => {
  it.effect("keeps the handlers of a group where the interpreter looks for them", () =>
    Effect.gen(function* () {
      const context = yield* Effect.scoped(Layer.build(Layer.provide(handlers, RequestValidation.layer)))
      const { handlers: kept } = context.mapUnsafe.get(Animals.key) as { handlers: Map<string, any> }
      assert.sameMembers([...kept.keys()], ["one", "add", "remove", "wait", "raw", "broken"])
      for (const { endpoint, handler, isRaw, uninterruptible } of kept.values())
        assert.deepStrictEqual(
          [endpoint.identifier in Animals.endpoints, typeof handler, isRaw, uninterruptible],
          [true, "function", ["raw", "broken"].includes(endpoint.identifier), false]
        )
      discrepancies.splice(0)
    })
  )
})
