import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { newAccount } from "../dashboard/PagesTesting.ts"
import { request } from "../support/TestServer.ts"

/** The credential of a call: headers. */
export type Credential = Readonly<Record<string, string>>

/** A new account and its key. */
export const newKey = Effect.fnUntraced(function* (settings: object = {}) {
  const account = yield* newAccount
  const { body } = yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: "agent", ...settings } })
  return { account, credential: { "x-api-key": body.key as string }, key_id: body.id as string }
})

const accept = { accept: "application/json, text/event-stream" }

/** One HTTP request to the tool endpoint. */
export const send = (
  credential: Credential,
  body?: unknown,
  headers: Record<string, string> = {},
  method: HttpMethod.HttpMethod = "POST"
) =>
  request(method, "/mcp", {
    headers: { ...accept, ...credential, ...headers },
    ...(body === undefined ? {} : { body })
  })

export const message = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

export const initialize = message("initialize", {
  protocolVersion: "2025-03-26",
  capabilities: {},
  clientInfo: { name: "test", version: "1" }
})

/** The first message of a session by another protocol revision. */
export const initializeBy = (protocolVersion: string) =>
  message("initialize", { ...initialize.params, protocolVersion })

/** The header of an open session. */
export const open = Effect.fnUntraced(function* (credential: Credential, revision = "2025-03-26") {
  const { headers } = yield* send(credential, initializeBy(revision))
  return { "mcp-session-id": headers["mcp-session-id"] ?? "" }
})

const modern = "2026-07-28"

/** A message of revision 2026-07-28, which has no sessions: headers and metadata carry the state. */
export const stateless = (
  method: string,
  params: { readonly name?: string; readonly [field: string]: unknown } = {}
) => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modern,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
  }
  const { name } = params
  return {
    body: message(method, { ...params, _meta }),
    headers: {
      "mcp-protocol-version": modern,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name })
    }
  }
}

/** A session that calls tools one after the other. */
export const session = Effect.fnUntraced(function* (credential: Credential) {
  const header = yield* open(credential)
  const ask = Effect.fnUntraced(function* (method: string, params: object = {}) {
    const { body } = yield* send(credential, message(method, params), header)
    return body
  })
  /** The text of a tool's answer, parsed when it is JSON, and if it is an error. */
  const call = Effect.fnUntraced(function* (name: string, given: object = {}) {
    const { error, result } = yield* ask("tools/call", { name, arguments: given })
    if (error !== undefined) return { error }
    const [{ text }] = result.content
    return { isError: result.isError === true, answer: /^[[{]/.test(text) ? JSON.parse(text) : text }
  })
  return { header, ask, call }
})
