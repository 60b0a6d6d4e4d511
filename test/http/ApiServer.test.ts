import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Layer, Schema } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as http from "node:http"
import * as ApiServer from "../../src/http/ApiServer.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as RequestValidation from "../../src/http/RequestValidation.ts"
import { ApiError } from "../../src/platform/errors/ApiError.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import { discrepancies } from "../support/Discrepancies.ts"
import { sent } from "../support/RawRequest.ts"
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
    HttpApiEndpoint.get("broken", "/broken", { success: Cat }),
    HttpApiEndpoint.get("text", "/text", {
      success: [Cat, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))]
    }),
    HttpApiEndpoint.get("cached", "/cached", {
      success: [
        HttpApiSchema.WithHeaders(Cat, { etag: Schema.String }),
        HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), { etag: Schema.String })
      ]
    }),
    HttpApiEndpoint.post("twice", "/twice", {
      payload: Cat,
      success: Cat.pipe(HttpApiSchema.asJson({ contentType: "application/cat+json" }))
    }),
    HttpApiEndpoint.get("scoped", "/scoped", { success: Cat })
  )
  .prefix("/test") {}

const api = HttpApi.make("zoo").add(Animals).middleware(RequestValidation.RequestValidation)

const interrupted = Deferred.makeUnsafe<void>()
const begun = Deferred.makeUnsafe<void>()

let finalized = 0

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
    .handle("text", () => Effect.succeed('a,b\r\n"1",2'))
    .handle("wait", () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    )
    .handle("cached", () => Effect.succeed(HttpApiSchema.withHeaders({ body: undefined, headers: { etag: '"1"' } })))
    .handle("twice", ({ payload, request }) =>
      Effect.map(Effect.orDie(request.text), (text) => ({ cat: `${payload.cat} ${text.length}` }))
    )
    .handle(
      "scoped",
      () =>
        Effect.as(
          Effect.addFinalizer(() => Effect.sync(() => finalized++)),
          { cat: "scoped" }
        ) as Effect.Effect<typeof Cat.Type>
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

const hasHead = (text: string) => text.includes("\r\n\r\n")

layer(serving)("An operation of the API", (it) => {
  it.effect("gets its parts decoded, and answers with the first schema that fits", () =>
    Effect.gen(function* () {
      const cat = yield* request("GET", "/test/animals/to%20m?loud=yes&age=4", { headers: { "x-zoo": "north" } })
      assert.deepStrictEqual([cat.status, JSON.parse(cat.body.cat)], [200, ["to m", { loud: "yes", age: 4 }, "north"]])
      const table = yield* request("GET", "/test/text")
      assert.deepStrictEqual([table.headers["content-type"], table.body], ["text/csv", 'a,b\r\n"1",2'])
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

  it.effect("answers with the kind whose headers and body fit, and with its own media type", () =>
    Effect.gen(function* () {
      const unchanged = yield* request("GET", "/test/cached")
      assert.deepStrictEqual([unchanged.status, unchanged.headers["etag"]], [304, '"1"'])
      const twice = yield* request("POST", "/test/twice", { body: { cat: "tom" } })
      assert.deepStrictEqual(
        [twice.status, twice.headers["content-type"], twice.body],
        [200, "application/cat+json", { cat: "tom 13" }]
      )
    })
  )

  it.effect("runs the finalizers of its handler when the handler has ended", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* request("GET", "/test/scoped")).status, 200)
      assert.strictEqual(finalized, 1)
    })
  )

  it.effect("is answered when its client offers another protocol", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ cat: "tom" })
      const post = `POST /test/animals HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      for (const [text, status] of [
        [
          "GET /test/animals/rex HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
          203
        ],
        ["GET /test/animals/rex HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 203],
        [post, 201]
      ] as const)
        assert.match(yield* sent(yield* port, [text], hasHead), new RegExp(` ${status} `))
    })
  )

  it.effect("is found by an address with its host, and by HEAD from a client that waits to send a body", () =>
    Effect.gen(function* () {
      const absolute = yield* sent(yield* port, ["GET http://x/v1/none HTTP/1.1\r\nHost: x\r\n\r\n"], hasHead)
      assert.match(absolute, /^HTTP\/1\.1 404 [^]*access-control-allow-origin: \*/i)
      const found = yield* sent(yield* port, ["GET HTTP://x/test/animals/rex HTTP/1.1\r\nHost: x\r\n\r\n"], hasHead)
      assert.match(found, /^HTTP\/1\.1 203 /)
      const head = "HEAD /test/animals/rex HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n"
      assert.match(yield* sent(yield* port, [head], hasHead), /^HTTP\/1\.1 203 /)
    })
  )

  it.effect("reads a body that begins with a byte order mark", () =>
    Effect.gen(function* () {
      const added = yield* request("POST", "/test/animals", { body: `\uFEFF${JSON.stringify({ cat: "tom" })}` })
      assert.deepStrictEqual([added.status, added.body], [201, { cat: "tom" }])
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

describe("The framework", () => {
  it.effect("keeps the handlers of a group where the interpreter looks for them", () =>
    Effect.gen(function* () {
      const context = yield* Effect.scoped(Layer.build(Layer.provide(handlers, RequestValidation.layer)))
      const { handlers: kept } = context.mapUnsafe.get(Animals.key) as { handlers: Map<string, any> }
      assert.sameMembers(
        [...kept.keys()],
        ["one", "add", "remove", "wait", "raw", "text", "broken", "cached", "twice", "scoped"]
      )
      for (const { endpoint, handler, isRaw, uninterruptible } of kept.values())
        assert.deepStrictEqual(
          [endpoint.identifier in Animals.endpoints, typeof handler, isRaw, uninterruptible],
          [true, "function", ["raw", "broken"].includes(endpoint.identifier), false]
        )
      discrepancies.splice(0)
    })
  )
})
