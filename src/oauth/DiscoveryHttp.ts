import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { enabled } from "../agents/AgentRegistration.ts"
import { Brand } from "../brand/Brand.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as Cors from "../platform/requests/Cors.ts"
import * as Discovery from "./Discovery.ts"

const document = (body: unknown) =>
  HttpServerResponse.jsonUnsafe(body, { headers: { "cache-control": "public, max-age=300" } })

/** Serves the discovery documents and the set of signing keys (docs/contract.md, "OAuth"). */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const addresses = yield* Addresses
    const agents = yield* enabled
    const { name } = yield* Brand
    const signingKeys = yield* SigningKeys

    const serve = <R>(document_name: string, body: Effect.Effect<unknown, never, R>) =>
      Cors.add(router, "GET", `/.well-known/${document_name}`, Effect.map(body, document))

    yield* serve("oauth-authorization-server", Effect.succeed(Discovery.authorizationServer(addresses, agents)))
    yield* serve(
      "oauth-protected-resource",
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        Discovery.protectedResource(addresses, Discovery.resourceOfHost(addresses, headers["host"]), name)
      )
    )
    for (const path of Discovery.toolPaths(addresses))
      yield* serve(
        `oauth-protected-resource${path}`,
        Effect.succeed(Discovery.protectedResource(addresses, addresses.mcp_url, name))
      )
    yield* serve("jwks.json", signingKeys.jwks)
  })
)
