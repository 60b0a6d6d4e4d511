import { DateTime, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ClientAddress } from "../platform/requests/ClientAddress.ts"
import * as Cors from "../platform/requests/Cors.ts"
import * as FlatError from "../platform/errors/FlatError.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import { ClientAuthentication } from "./ClientAuthentication.ts"
import { Clients } from "./Clients.ts"
import { CodeRedemption } from "./CodeRedemption.ts"
import * as FormBody from "./FormBody.ts"
import { GrantType, type OAuthClient } from "./OAuthClient.ts"
import { type OAuthErrorCode, OAuthRefused, refused } from "./OAuthErrors.ts"
import { OAuthLimits } from "./OAuthLimits.ts"
import * as Parameters from "./Parameters.ts"
import { TokenRefresh } from "./TokenRefresh.ts"
import { TokenRevocation } from "./TokenRevocation.ts"

const noStore = { "cache-control": "no-store", pragma: "no-cache" }

const statusOf = (error: OAuthErrorCode) => (error === "invalid_client" ? 401 : error === "slow_down" ? 429 : 400)

/** Answers with the flat error body of OAuth. A client that failed with HTTP Basic gets `WWW-Authenticate` (RFC 6749 5.2). */
const answerRefused = ({ error, description }: OAuthRefused) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    HttpServerResponse.jsonUnsafe(
      { error, error_description: description },
      {
        status: statusOf(error),
        headers:
          error === "invalid_client" && headers["authorization"] !== undefined
            ? { ...noStore, "www-authenticate": 'Basic realm="OAuth", charset="UTF-8"' }
            : noStore
      }
    )
  )

/** The response already has `Retry-After`. */
const slowDown = ({ detail }: RateLimited) => refused("slow_down", detail)

const answered = <R>(
  response: Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthRefused | RateLimited, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | HttpServerRequest.HttpServerRequest> =>
  response.pipe(
    Effect.catch((refusal) => answerRefused(refusal instanceof OAuthRefused ? refusal : slowDown(refusal))),
    Effect.catchDefect((defect) =>
      Effect.map(FlatError.ofDefect(defect), ({ error, status, text }) =>
        HttpServerResponse.jsonUnsafe({ error, error_description: text }, { status, headers: noStore })
      )
    )
  )

/** Reads the requested grant type and checks that the client registered it. */
const grantType = (form: Parameters.Parameters, client: OAuthClient): Result.Result<GrantType, OAuthRefused> =>
  Result.flatMap(Parameters.required(form, "grant_type"), (asked) => {
    const known = GrantType.literals.find((grant) => grant === asked)
    if (known === undefined)
      return Result.fail(refused("unsupported_grant_type", "Send the grant_type authorization_code or refresh_token"))
    if (!client.grant_types.includes(known))
      return Result.fail(refused("unauthorized_client", `Register the grant type ${known} to use it`))
    return Result.succeed(known)
  })

const redemption = (form: Parameters.Parameters) =>
  Result.gen(function* () {
    return {
      code: yield* Parameters.required(form, "code"),
      redirect_uri: yield* Parameters.required(form, "redirect_uri"),
      code_verifier: yield* Parameters.required(form, "code_verifier"),
      resource: form.get("resource")
    }
  })

const refresh = (form: Parameters.Parameters) =>
  Result.gen(function* () {
    return {
      refresh_token: yield* Parameters.required(form, "refresh_token"),
      scope: form.get("scope"),
      resource: form.get("resource")
    }
  })

/** The token endpoint (RFC 6749 sections 4.1.3 and 6). */
const token = Effect.gen(function* () {
  const authentication = yield* ClientAuthentication
  const clientAddress = yield* ClientAddress
  const codes = yield* CodeRedemption
  const limits = yield* OAuthLimits
  const refreshTokens = yield* TokenRefresh

  return Effect.gen(function* () {
    yield* limits.address("token")
    const form = yield* FormBody.read
    const client = yield* authentication.authenticate(form)
    const grant = yield* Effect.fromResult(grantType(form, client))
    const client_address = yield* clientAddress.current
    const tokens =
      grant === "authorization_code"
        ? yield* codes.redeem(client, { ...(yield* Effect.fromResult(redemption(form))), client_address })
        : yield* refreshTokens.refresh(client, { ...(yield* Effect.fromResult(refresh(form))), client_address })
    return HttpServerResponse.jsonUnsafe(tokens, { headers: noStore })
  })
})

/** The revocation endpoint (RFC 7009 section 2). Ignores `token_type_hint`, because the form of a token shows its type. */
const revoke = Effect.gen(function* () {
  const authentication = yield* ClientAuthentication
  const limits = yield* OAuthLimits
  const revocation = yield* TokenRevocation

  return Effect.gen(function* () {
    yield* limits.address("revoke")
    const form = yield* FormBody.read
    const client = yield* authentication.authenticate(form)
    yield* revocation.revoke(client, yield* Effect.fromResult(Parameters.required(form, "token")))
    return HttpServerResponse.empty({ status: 200, headers: noStore })
  })
})

/** Reads client metadata, which must be JSON. */
const metadata = Effect.gen(function* () {
  const { headers, text } = yield* HttpServerRequest.HttpServerRequest
  if (headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    return yield* refused("invalid_client_metadata", "Send the client metadata as application/json")
  const body = yield* Effect.orDie(text)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(body),
    catch: () => refused("invalid_client_metadata", "Send the client metadata as a JSON object")
  })
})

/** The wire form of a registered client (RFC 7591 section 3.2.1). */
const clientView = (client: OAuthClient, secret: string | null) => ({
  client_id: client.id,
  client_id_issued_at: Math.floor(DateTime.toEpochMillis(client.created_at) / 1000),
  ...(secret === null ? {} : { client_secret: secret }),
  client_secret_expires_at: 0,
  client_name: client.name,
  redirect_uris: client.redirect_uris,
  grant_types: client.grant_types,
  response_types: ["code"],
  application_type: client.application_type,
  token_endpoint_auth_method: client.token_endpoint_auth_method
})

/** The registration endpoint (RFC 7591 section 3). */
const register = Effect.gen(function* () {
  const clients = yield* Clients
  const limits = yield* OAuthLimits

  return Effect.gen(function* () {
    yield* limits.address("register")
    const { client, secret } = yield* clients.register(yield* metadata)
    return HttpServerResponse.jsonUnsafe(clientView(client, secret), { status: 201, headers: noStore })
  })
})

/** The OAuth endpoints that apps call. The dashboard serves the authorization endpoint, which people visit. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* Cors.add(router, "POST", "/oauth/token", answered(yield* token))
    yield* Cors.add(router, "POST", "/oauth/revoke", answered(yield* revoke))
    yield* Cors.add(router, "POST", "/oauth/register", answered(yield* register))
  })
)
