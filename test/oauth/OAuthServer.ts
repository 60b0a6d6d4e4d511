import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import { AccessTokenVerifier } from "../../src/oauth/AccessTokenVerifier.ts"
import * as OAuthHttp from "../../src/oauth/OAuthHttp.ts"
import * as Testing from "./TokenTesting.ts"
import * as TestCrypto from "../support/TestCrypto.ts"

/** The OAuth endpoints that apps call, on a loopback port over a database of their own. */
export const layer = (settings: Record<string, string> = {}) =>
  RequestBoundary.serve(OAuthHttp.layer).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provideMerge(Testing.layer),
    Layer.provide(TestCrypto.layer),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ AUTH_RATE_LIMIT_FACTOR: "1000", TRUST_PROXY: "1", ...settings })
      )
    )
  )

/** Posts a form. */
export const post = Effect.fnUntraced(function* (
  path: string,
  form: Record<string, string> | Array<[string, string]>,
  headers: Record<string, string> = {}
) {
  const body = new URLSearchParams(form)
  const response = yield* HttpClient.execute(
    HttpClientRequest.post(path).pipe(
      HttpClientRequest.setBody(HttpBody.text(body.toString(), "application/x-www-form-urlencoded")),
      HttpClientRequest.setHeaders(headers)
    )
  )
  const text = yield* response.text
  const parsed: any = text === "" ? null : JSON.parse(text)
  return { status: response.status, headers: response.headers, body: parsed }
})

/** The status and error of a refusal. */
export const told = ({ body, status }: { readonly body: any; readonly status: number }) => [status, body.error] as const

/** The header of HTTP Basic. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
})

/** Approves a new app. */
export const approved = Effect.fnUntraced(function* (fields: Parameters<typeof Testing.newClient>[0] = {}) {
  const client = yield* Testing.newClient(fields)
  return { client, ...(yield* Testing.approve({ client_id: client.id })) }
})

/** Builds the form that redeems a code. */
export const redemption = (approved: {
  readonly client_id: string
  readonly code: string
  readonly code_verifier: string
}) => ({
  grant_type: "authorization_code",
  client_id: approved.client_id,
  code: approved.code,
  code_verifier: approved.code_verifier,
  redirect_uri: Testing.redirectUri
})

export const refresh = (
  one: { readonly client: { readonly id: string }; readonly refresh_token: string },
  more: object = {}
) =>
  post("/oauth/token", {
    grant_type: "refresh_token",
    client_id: one.client.id,
    refresh_token: one.refresh_token,
    ...more
  })

/** True when an access token does not work. */
export const isRefused = (token: string) =>
  Effect.map(
    AccessTokenVerifier.use((verifier) => verifier.verify(token)),
    Option.isNone
  )
