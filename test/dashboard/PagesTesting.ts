import { Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { Scope } from "../../src/accounts/Scope.ts"
import * as Browser from "../support/Browser.ts"
import { request } from "../support/TestServer.ts"

export const password = "correct horse battery staple"

/** The example of RFC 7636, appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const challenge = createHash("sha256").update(verifier).digest("base64url")

export const loopback = "http://127.0.0.1:3999/callback"

/** The public addresses of the service in the tests of pages. */
export const http = "http://localhost:8080"
export const https = "https://proxies.test"

/** An account with a password. */
export const newAccount = Effect.gen(function* () {
  const email = `${randomUUID()}@example.com`
  const { body } = yield* request("POST", "/v1/auth/register", { body: { email, password } })
  return { email, id: body.user.id, token: body.access_token }
})

/** Registers an app. */
export const newClient = Effect.fnUntraced(function* (metadata: object = {}) {
  const { body } = yield* request("POST", "/oauth/register", {
    body: {
      client_name: "Proxy Pilot",
      redirect_uris: [loopback],
      token_endpoint_auth_method: "none",
      ...metadata
    }
  })
  return { client_id: body.client_id as string, redirect_uri: body.redirect_uris[0] as string }
})

/** The authorization URL to which an app sends the browser. */
export const authorizeUrl = (
  client: { readonly client_id: string; readonly redirect_uri: string },
  {
    issuer = http,
    scopes,
    ...more
  }: { issuer?: string; scopes?: ReadonlyArray<Scope>; state?: string; resource?: string } = {}
) =>
  `${issuer}/oauth/authorize?${new URLSearchParams({
    response_type: "code",
    ...client,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state & more",
    ...(scopes === undefined ? {} : { scope: scopes.join(" ") }),
    ...more
  })}`

/** The answer to the app: the parameters of the last redirect of a browser. */
export const authorizationResponse = (page: Browser.Page) => Object.fromEntries(new URL(page.url).searchParams)

/** Exchanges a code for tokens. */
export const redeem = (client: { readonly client_id: string; readonly redirect_uri: string }, code: string) =>
  request("POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      ...client
    }).toString()
  })

/** A browser in which a person signed in to decide about an app. */
export const atConsent = Effect.fnUntraced(function* (
  options: { readonly scopes?: ReadonlyArray<Scope>; readonly metadata?: object; readonly state?: string } = {}
) {
  const { metadata, ...asked } = options
  const account = yield* newAccount
  const client = yield* newClient(metadata)
  const browser = yield* Browser.forServer(http)
  yield* browser.open(authorizeUrl(client, asked))
  const page = yield* browser.submit({ email: account.email, password })
  return { account, client, browser, page }
})
