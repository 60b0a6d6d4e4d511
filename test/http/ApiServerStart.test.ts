import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as http from "node:http"
import type * as net from "node:net"
import * as ApiServer from "../../src/http/ApiServer.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Server from "../../src/http/Server.ts"
import { ApiError } from "../../src/platform/errors/ApiError.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import { sent } from "../support/RawRequest.ts"

class Missing extends ApiError<Missing>()("Missing", { status: 404, detail: "There is none" }) {}

const Cat = Schema.Struct({ cat: Schema.String })

const settings = ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))

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
    ["an upgrade", HttpApiEndpoint.get("x", "/x", { success: HttpApiSchema.Upgrade({ protocol: "echo" }) })],
    ["a form", HttpApiEndpoint.post("x", "/x", { payload: Cat.pipe(HttpApiSchema.asFormUrlEncoded()) })],
    [
      "headers of a failure",
      HttpApiEndpoint.get("x", "/x", { error: HttpApiSchema.WithHeaders(Missing, { "x-a": Schema.String }) as any })
    ],
    ["parse options", HttpApiEndpoint.get("x", "/x").annotate(HttpApi.ParseOptions, { errors: "first" })],
    ["a part of a segment as parameter", HttpApiEndpoint.get("x", "/x/:id:cancel", { params: { id: Schema.String } })]
  ] as const)("refuses an operation with %s, which the interpreter does not serve", ([, endpoint]) =>
    Effect.gen(function* () {
      const exit = yield* start(endpoint as unknown as HttpApiEndpoint.Top)
      assert.isTrue(Exit.isFailure(exit))
      assert.match(String(exit), /group\.x: an operation of the API (?:answers|reads|has)/)
    })
  )
})

describe("A server without routes", () => {
  it.live("answers that it starts or stops, whatever else listens to its requests", () =>
    Effect.gen(function* () {
      const server = http.createServer()
      server.on("request", () => {})
      yield* Layer.build(Server.listening(server, { port: 0 }))
      const { port } = server.address() as net.AddressInfo
      for (const expect of ["", "Expect: 100-continue\r\n"])
        assert.match(yield* sent(port, [`GET /v1/catalog HTTP/1.1\r\nHost: x\r\n${expect}\r\n`]), /^HTTP\/1\.1 503 /)
    }).pipe(Effect.scoped)
  )
})
