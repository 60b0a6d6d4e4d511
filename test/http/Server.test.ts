import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Server from "../../src/http/Server.ts"

const front = HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs"))

const listening = RequestBoundary.serve(front).pipe(
  Layer.provideMerge(Server.layer),
  Layer.provide(NodeCrypto.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PORT: "0" })))
)

it.live("A path that cannot be decoded answers like an unknown path, and not like the root", () =>
  Effect.gen(function* () {
    const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    const statusOf = (path: string) =>
      Effect.promise(async () => (await fetch(`${url}${path}`, { redirect: "manual" })).status)
    assert.deepStrictEqual(yield* Effect.all(["/", "/%zz", "/nothing"].map(statusOf)), [302, 404, 404])
  }).pipe(Effect.provide(listening))
)
