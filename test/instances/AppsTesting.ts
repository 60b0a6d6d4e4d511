import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { authorizationResponse, authorizeUrl, loopback, verifier } from "../dashboard/PagesTesting.ts"
import { initialize, message } from "../mcp/McpTesting.ts"
import * as Browser from "../support/Browser.ts"
import { ask, Instances, password, publicUrl, signUp, soon } from "./InstancesTesting.ts"

/** Opens a session of the tool server at one instance; `use` answers the status of a call at an instance. */
export const openSession = Effect.fnUntraced(function* (at: string, headers: Record<string, string>) {
  const accept = "application/json, text/event-stream"
  const opened = yield* ask(at, "POST", "/mcp", { headers: { accept, ...headers }, body: initialize })
  const id = opened.headers.get("mcp-session-id") ?? ""
  const use = (at: string) =>
    Effect.map(
      ask(at, "POST", "/mcp", {
        headers: { accept, ...headers, "mcp-session-id": id },
        body: message("tools/list")
      }),
      ({ status }) => status
    )
  return { status: opened.status, id, use }
})

export const newKey = Effect.fnUntraced(function* (at: string) {
  const { token } = yield* signUp(at)
  const { body } = yield* ask(at, "POST", "/v1/api-keys", { token, body: { name: "agent" } })
  return { "x-api-key": body.key as string }
})

/** An app that a person approved; every step of the flow went to the other instance. */
export const approved = Effect.gen(function* () {
  const { a, b } = yield* Instances
  const account = yield* signUp(a.url)
  const { body } = yield* ask(b.url, "POST", "/oauth/register", {
    body: { client_name: "App", redirect_uris: [loopback], token_endpoint_auth_method: "none" }
  })
  const client = { client_id: body.client_id as string, redirect_uri: loopback }
  const hosts = { [publicUrl]: a.url }
  const browser = Browser.make(hosts)
  yield* browser.open(authorizeUrl(client))
  hosts[publicUrl] = b.url
  yield* browser.submit({ email: account.email, password })
  hosts[publicUrl] = a.url
  const { code = "" } = authorizationResponse(yield* browser.submit({ decision: "approve" }))
  const tokens = (at: string, parameters: Record<string, string>) =>
    ask(at, "POST", "/oauth/token", { body: new URLSearchParams({ client_id: client.client_id, ...parameters }) })
  return {
    redeem: (at: string) =>
      tokens(at, { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: loopback }),
    refresh: (at: string, refresh_token: string) => tokens(at, { grant_type: "refresh_token", refresh_token })
  }
})

type Answer = Effect.Success<ReturnType<typeof ask>>

/**
 * One of several simultaneous answers has tokens; then the connection is dead at both instances, and so are these
 * tokens.
 */
export const oneWonAndAllAreDead = Effect.fnUntraced(function* (
  answers: ReadonlyArray<Answer>,
  refresh: (at: string, token: string) => Effect.Effect<Answer>
) {
  const { a, b } = yield* Instances
  const winners = answers.filter(({ status }) => status === 200)
  assert.lengthOf(winners, 1)
  const losers = answers.filter(({ status }) => status !== 200)
  assert.deepStrictEqual(
    losers.map(({ body, status }) => [status, body.error]),
    losers.map(() => [400, "invalid_grant"])
  )
  const { access_token, refresh_token } = winners[0]!.body
  for (const { url } of [a, b]) {
    assert.strictEqual((yield* refresh(url, refresh_token)).body.error, "invalid_grant")
    const opening = openSession(url, { authorization: `Bearer ${access_token}` })
    yield* soon("the token is refused", opening, ({ status }) => status === 401)
  }
})
