import { Effect, Layer, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import type { Scope } from "../../src/accounts/Scope.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"
import { all } from "../../src/rpc/Tools.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"

/** Puts one offer of each kind on sale, and one with SOCKS5 only, or the given offers. */
export const sell = Effect.fnUntraced(function* (socks: Partial<ProviderOffer> | null) {
  const changed = { ...residential, external_id: "isp-socks", name: "Socks ISP", protocols: ["SOCKS5" as const] }
  const others = socks === null ? [] : [{ ...changed, ...socks }]
  ;(yield* MemoryProvider).setOffers([datacenter, residential, { ...mobile, is_available: true }, ...others])
  yield* CatalogSync.run
  yield* (yield* Catalog).refresh
}, Effect.provide(CatalogWriter.layer))

/** The whole API with its offers. */
export const layer = Layer.effectDiscard(sell({})).pipe(Layer.provideMerge(TestApp.layer()))

/** `daily_spend_limit_usd` in micro-dollars. */
interface Restrictions {
  readonly scopes?: ReadonlyArray<Scope> | null
  readonly daily_spend_limit_usd?: bigint | null
}

export const keyOf = (user: UserId, restrictions: Restrictions = {}) =>
  Effect.map(
    ApiKeys.use((keys) => keys.create(user, { name: "agent", ...restrictions })),
    ({ key }) => key
  )

/** The typed client of the tools, with a header that identifies the caller. */
const clientBy = (header: string, credential: string) =>
  RpcClient.make(all).pipe(
    Effect.provide(
      RpcClient.layerProtocolHttp({
        url: "",
        transformClient: HttpClient.mapRequestInput((request) =>
          HttpClientRequest.setHeader(HttpClientRequest.prependUrl(request, "/rpc"), header, credential)
        )
      }).pipe(Layer.provide(RpcSerialization.layerNdjson))
    )
  )

/** The typed client of the tools, by an API key. */
export const clientOf = (key: string) => clientBy("x-api-key", key)

/** The same by the access token of an app. */
export const clientOfApp = (access_token: string) => clientBy("authorization", `Bearer ${access_token}`)

/** An account with 100 dollars, and the client of its key. */
export const agent = Effect.fnUntraced(function* (restrictions: Restrictions = {}) {
  const user = yield* Fixtures.newUser
  yield* Fixtures.fund(user, 100_000_000n)
  const key = yield* keyOf(user, restrictions)
  return { user, key, tools: yield* clientOf(key) }
})

/** The failure of a call, or else its answer. */
export const failure = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(call), (result): any => (Result.isFailure(result) ? result.failure : result.success))
