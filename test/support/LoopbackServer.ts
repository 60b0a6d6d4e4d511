import { Layer } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import * as http from "node:http"
import * as Server from "../../src/http/Server.ts"
import * as Contract from "./Contract.ts"

const client = HttpServer.layerTestClient.pipe(
  Layer.provide(
    Layer.fresh(FetchHttpClient.layer).pipe(
      Layer.provide(Layer.succeed(FetchHttpClient.RequestInit)({ keepalive: false }))
    )
  )
)

const layerOf = (server: () => http.Server) =>
  Layer.provideMerge(
    client,
    Layer.suspend(() => Server.listening(server(), { port: 0 }))
  )

/**
 * The product's server on a free loopback port, without its limits of connections, and an `HttpClient` that talks to
 * it. Its answers are checked against the OpenAPI document.
 */
export const layer = layerOf(() => Contract.watched(http.createServer()))

/** The same for benchmarks, without the check of answers. */
export const layerUnchecked = layerOf(http.createServer)
