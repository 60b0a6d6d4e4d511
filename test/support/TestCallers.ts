import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import {
  Anonymous,
  Authentication,
  InsufficientScope,
  OptionalAuthentication,
  RequiredScope,
  SessionAuthentication,
  SessionNeeded,
  Unauthorized
} from "../../src/accounts/Authentication.ts"
import { type ApiKeyCredential, Caller } from "../../src/accounts/Caller.ts"
import { Scope } from "../../src/accounts/Scope.ts"
import { UserId } from "../../src/accounts/User.ts"

const isUserId = Schema.is(UserId)
const isScope = Schema.is(Scope)

const session = (user: string) =>
  isUserId(user)
    ? Effect.succeed({
        user_id: user,
        credential: { _tag: "session" as const, session_id: user }
      })
    : Effect.fail(new Unauthorized())

const apiKey = Effect.fnUntraced(function* (credential: string) {
  const [user = "", scopes] = credential.split(";")
  if (!isUserId(user)) return yield* new Unauthorized()
  const key: ApiKeyCredential = {
    _tag: "api_key",
    api_key_id: user,
    scopes: scopes === undefined ? null : scopes.split(",").filter(isScope),
    daily_spend_limit_usd: null
  }
  return { user_id: user, credential: key }
})

const check = Effect.fnUntraced(function* (
  caller: Caller["Service"],
  endpoint: { readonly annotations: Context.Context<never> }
) {
  const required = Context.get(endpoint.annotations, RequiredScope)
  const held = caller.credential._tag === "session" ? null : caller.credential.scopes
  if (held !== null && (required === "full-access" || !held.includes(required)))
    return yield* new InsufficientScope({ details: { required_scope: required } })
  return caller
})

/** The server tries the schemes in turn and answers the last one's error, so both look at both credentials. */
const either = Effect.fnUntraced(function* (endpoint: { readonly annotations: Context.Context<never> }) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const key = headers["x-api-key"]
  const token = headers["authorization"]?.replace(/^Bearer /i, "") ?? ""
  return yield* check(yield* key === undefined ? session(token) : apiKey(key), endpoint)
})

/**
 * Stand-ins for the real authentication: `X-API-Key: <user id>` is an unrestricted key, `X-API-Key: <user
 * id>;<scope>,<scope>` a restricted one, `Authorization: Bearer <user id>` a session.
 */
export const layer = Layer.mergeAll(
  Layer.succeed(Authentication, {
    apiKey: (response, { endpoint }) => Effect.provideServiceEffect(response, Caller, either(endpoint)),
    bearer: (response, { endpoint }) => Effect.provideServiceEffect(response, Caller, either(endpoint))
  }),
  Layer.succeed(SessionAuthentication, {
    bearer: (response, { credential }) =>
      Effect.provideServiceEffect(
        response,
        Caller,
        Effect.mapError(session(Redacted.value(credential)), () => new SessionNeeded())
      )
  }),
  Layer.succeed(OptionalAuthentication, (response) => response),
  Layer.succeed(Anonymous, (response) => response)
)
