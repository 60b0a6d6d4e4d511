import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as AdmitCallers from "./AdmitCallers.ts"
import {
  Anonymous,
  Authentication,
  InsufficientScope,
  OptionalAuthentication,
  RequiredScope,
  SessionAuthentication,
  SessionNeeded,
  Unauthorized,
  Visitor
} from "../Authentication.ts"
import { Caller, missingScope } from "../Caller.ts"
import * as OAuthAccessToken from "../OAuthAccessToken.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { SigningKeys } from "../sessions/SigningKeys.ts"

const make = Effect.gen(function* () {
  const { accountOfKey, byApiKey, limitAccount, limitAddress, markUsed } = yield* AdmitCallers.make
  const sessions = yield* Sessions
  const signingKeys = yield* SigningKeys
  const resources = OAuthAccessToken.resources(yield* Addresses)

  const bySession = Effect.fnUntraced(function* <E>(token: string, refusal: Effect.Effect<never, E>) {
    const caller = token === "" ? Option.none() : yield* sessions.caller(token)
    if (Option.isNone(caller)) return yield* Effect.andThen(limitAddress, refusal)
    yield* limitAccount(caller.value.user_id)
    return caller.value
  })

  /**
   * Refuses a token that belongs to no session. An OAuth token works only at the tool server. An operation that needs
   * full access refuses such a token as it refuses a restricted key: with 403 and the missing scope.
   */
  const noSession = Effect.fnUntraced(function* (token: string, endpoint: HttpApiEndpoint.Top) {
    const required_scope = Context.get(endpoint.annotations, RequiredScope)
    if (required_scope !== "full-access" || token === "") return yield* new Unauthorized()
    const claims = yield* signingKeys.verify(OAuthAccessToken.typ, resources, token)
    if (Option.isNone(claims)) return yield* new Unauthorized()
    return yield* new InsufficientScope({
      detail: "The token is only for the tool server; sign in, or send an unrestricted API key",
      details: { required_scope }
    })
  })

  const byKey = Effect.fnUntraced(function* (key: string, endpoint: HttpApiEndpoint.Top) {
    const { apiKey, caller } = yield* byApiKey(key)
    yield* limitAccount(caller.user_id)
    const required_scope = missingScope(caller, Context.get(endpoint.annotations, RequiredScope))
    if (required_scope !== undefined) return yield* new InsufficientScope({ details: { required_scope } })
    yield* markUsed(apiKey)
    return caller
  })

  const accountOfToken = (token: string) =>
    Effect.map(sessions.caller(token), (caller) => Option.getOrNull(caller)?.user_id ?? null)

  /** Finds the account of a request's credentials and counts the request; null without valid credentials. */
  const optionally = Effect.fnUntraced(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const key = headers["x-api-key"]
    const [, token = ""] = /^bearer +(.+)$/i.exec(headers["authorization"] ?? "") ?? []
    const account = yield* key !== undefined
      ? accountOfKey(key)
      : token === ""
        ? Effect.succeed(null)
        : accountOfToken(token)
    yield* account === null ? limitAddress : limitAccount(account)
    return account
  })

  return { byKey, bySession, limitAddress, noSession, optionally }
})

const tryNext = Effect.fail(new Unauthorized())

/**
 * The framework tries one scheme after the other and answers with the failure of the last one. Therefore the last scheme
 * reads both credentials. When the request has an API key, the key decides.
 */
const authentication = Layer.effect(
  Authentication,
  Effect.map(make, ({ byKey, bySession, noSession }) =>
    Authentication.of({
      apiKey: () => tryNext,
      bearer: Effect.fnUntraced(function* (response, { credential, endpoint }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const key = headers["x-api-key"] ?? ""
        const token = Redacted.value(credential)
        const caller = yield* key === "" ? bySession(token, noSession(token, endpoint)) : byKey(key, endpoint)
        return yield* Effect.provideService(response, Caller, caller)
      })
    })
  )
)

const sessionAuthentication = Layer.effect(
  SessionAuthentication,
  Effect.map(make, ({ bySession }) =>
    SessionAuthentication.of({
      bearer: (response, { credential }) =>
        Effect.flatMap(bySession(Redacted.value(credential), Effect.fail(new SessionNeeded())), (caller) =>
          Effect.provideService(response, Caller, caller)
        )
    })
  )
)

const anonymous = Layer.effect(
  Anonymous,
  Effect.map(make, ({ limitAddress }) => Anonymous.of((response) => Effect.andThen(limitAddress, response)))
)

const optionalAuthentication = Layer.effect(
  OptionalAuthentication,
  Effect.map(make, ({ optionally }) =>
    OptionalAuthentication.of((response) =>
      Effect.flatMap(optionally(), (user) => Effect.provideService(response, Visitor, user))
    )
  )
)

export const layer = Layer.mergeAll(authentication, sessionAuthentication, optionalAuthentication, anonymous)
