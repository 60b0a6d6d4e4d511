import { Context, Effect, Layer, Option, Result, Semaphore } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as AdmitCallers from "../accounts/authentication/AdmitCallers.ts"
import { Unauthorized } from "../accounts/Authentication.ts"
import { Caller } from "../accounts/Caller.ts"
import { Scope } from "../accounts/Scope.ts"
import { AccessTokenVerifier } from "../oauth/AccessTokenVerifier.ts"
import * as Cors from "../platform/requests/Cors.ts"
import * as Discovery from "../oauth/Discovery.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import * as OwnOrigin from "./OwnOrigin.ts"
import { Turns } from "./ToolCaller.ts"

/** Maximum number of calls in a request. */
export const mostCalls = 50

/** Counts the calls in the body of a request for the rate limit, or returns the response that refuses the body. */
export type Inspect = (body: string) => Result.Result<number, HttpServerResponse.HttpServerResponse>

const noCredentials = new Unauthorized({
  detail: "Send an API key in X-API-Key, or the bearer token of a connected app"
})

const noSuchKey = new Unauthorized({ detail: "The API key in X-API-Key is unknown or no longer valid" })

const noSuchToken = new Unauthorized({
  detail:
    "The bearer token is not a valid access token for this server, it has expired, or its connection has ended. Refresh it or connect again. Send API keys in X-API-Key"
})

/**
 * Authenticates callers of tools: an API key, or an app's access token for the tool server. Tokens of sessions are refused
 * (docs/contract.md, "Tool server"). Calls of tools and requests of the REST API share one rate limit.
 */
export class ToolAuthentication extends Context.Service<
  ToolAuthentication,
  {
    /** Returns the caller, or fails with the answer that refuses the request. A refused body counts as one call. */
    readonly authenticate: (
      inspect: Inspect
    ) => Effect.Effect<Caller["Service"], HttpServerResponse.HttpServerResponse, HttpServerRequest.HttpServerRequest>
  }
>()("app/rpc/ToolAuthentication") {
  static readonly layer = Layer.effect(
    ToolAuthentication,
    Effect.gen(function* () {
      const { byApiKey, limitAccount, markUsed, refuse } = yield* AdmitCallers.make
      const { verify } = yield* AccessTokenVerifier
      const metadata = Discovery.metadataUrl(yield* Addresses)

      /** Names the authorization server to the client (RFC 6750, section 3, and RFC 9728, section 5.1). */
      const challenge = (error: Unauthorized) =>
        errorAnswer(error, {
          "www-authenticate": `Bearer ${error === noSuchToken ? `error="invalid_token", ` : ""}resource_metadata="${metadata}", scope="${Scope.literals.join(" ")}"`
        })

      const byToken = Effect.fnUntraced(function* (token: string) {
        const verified = yield* verify(token)
        if (Option.isNone(verified)) return yield* refuse(noSuchToken)
        const { user_id, ...credential } = verified.value
        return { user_id, credential: { _tag: "oauth" as const, ...credential } }
      })

      const byKey = Effect.fnUntraced(
        function* (key: string) {
          const { apiKey, caller } = yield* byApiKey(key)
          yield* markUsed(apiKey)
          return caller
        },
        Effect.catchTag("Unauthorized", () => Effect.fail(noSuchKey))
      )

      const find = ({ headers }: HttpServerRequest.HttpServerRequest) => {
        const key = headers["x-api-key"] ?? ""
        if (key !== "") return byKey(key)
        const [, token = ""] = /^bearer +(.+)$/i.exec(headers["authorization"] ?? "") ?? []
        return token === "" ? refuse(noCredentials) : byToken(token)
      }

      const authenticate = Effect.fn("ToolAuthentication.authenticate")(
        function* (inspect: Inspect) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const caller: Caller["Service"] = yield* find(request)
          const calls = request.method === "POST" ? inspect(yield* Effect.orDie(request.text)) : Result.succeed(1)
          yield* limitAccount(
            caller.user_id,
            Result.getOrElse(calls, () => 1)
          )
          if (Result.isFailure(calls)) return yield* Effect.fail(calls.failure)
          return caller
        },
        Effect.mapError((error) => {
          if (HttpServerResponse.isHttpServerResponse(error)) return error
          return error._tag === "Unauthorized" ? challenge(error) : errorAnswer(error)
        })
      )

      return ToolAuthentication.of({ authenticate })
    })
  )
}

/**
 * Guards the routes of tools: provides the `Caller`, or answers 400, 401, 403 or 429. Pages of any origin may read the
 * answer, except pages that use DNS rebinding (`OwnOrigin`).
 */
export const middleware = (inspect: Inspect) =>
  HttpRouter.middleware<{ provides: Caller }>()(
    Effect.map(
      ToolAuthentication,
      ({ authenticate }) =>
        (answer) =>
          Effect.andThen(
            Cors.share,
            Effect.matchEffect(authenticate(inspect), {
              onFailure: Effect.succeed,
              onSuccess: (caller) =>
                answer.pipe(
                  Effect.provideService(Caller, caller),
                  Effect.provideService(Turns, Semaphore.makeUnsafe(1))
                )
            })
          )
    )
  ).combine(OwnOrigin.middleware)
