import { ConfigProvider, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { Clients } from "../../src/oauth/Clients.ts"
import { ClientsRepo } from "../../src/oauth/ClientsRepo.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as TestOutbound from "../support/TestOutbound.ts"

export const redirect_uris = ["https://app.example/callback"]

export const register = (metadata: object = {}) =>
  Effect.flatMap(Clients, (clients) => clients.register({ redirect_uris, ...metadata }))
export const find = (id: string) => Effect.flatMap(Clients, (clients) => clients.find(id))
/** Stores a client, as the authorization endpoint does for a valid request. */
export const resolve = (id: string, address = "192.0.2.1") =>
  Effect.flatMap(Clients, (clients) => clients.resolve(id)).pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": address } }))
    )
  )
export const use = (id: string) =>
  Effect.gen(function* () {
    const client = Option.getOrThrow(yield* resolve(id))
    yield* Clients.use((clients) => clients.keep(client))
    return client
  })
export const nameOf = (id: string) => Effect.map(use(id), ({ name }) => name)
export const reasonOf = (id: string) =>
  Effect.map(Effect.flip(resolve(id)), (refused) => (refused._tag === "ClientUnusable" ? refused.reason : refused._tag))

export const all = Layer.mergeAll(Clients.layer, ClientsRepo.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide([TestOutbound.layer, RateLimit.layer]),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ AUTH_RATE_LIMIT_FACTOR: "2", TRUST_PROXY: "1" })))
)
