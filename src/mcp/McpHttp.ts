import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../accounts/Caller.ts"
import * as Cors from "../platform/Cors.ts"
import { Addresses } from "../platform/Addresses.ts"
import * as ToolAuthentication from "../rpc/ToolAuthentication.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as OwnOrigin from "./OwnOrigin.ts"
import { pathOf, ToolServer } from "./ToolServer.ts"
import { ToolSessions } from "./ToolSessions.ts"

const sessionHeader = "mcp-session-id"

const refusal = (status: number, code: string, detail: string) =>
  HttpServerResponse.jsonUnsafe({ detail, code }, { status })

/** Also for a session of somebody else, so that nobody learns which ids there are. */
const noSession = refusal(404, "NOT_FOUND", "There is no such session, or it has ended; initialize another")

const tooMany = refusal(400, "BAD_REQUEST", `A batch holds at most ${JsonRpc.mostMessages} messages`)

const sameIds = refusal(400, "BAD_REQUEST", "The requests of a batch need different ids; nothing was done")

/** What the protocol refuses without a word. */
const words: Record<number, string> = {
  400: "The header Mcp-Session-Id is missing, or MCP-Protocol-Version is not 2025-03-26",
  404: "There is no such session, or it has ended; initialize another",
  405: "Messages are sent by POST and a session is ended by DELETE; there is no stream to listen to",
  406: "The Accept header must list application/json and text/event-stream"
}

const codes: Record<number, string> = { 404: "NOT_FOUND" }

const explained = (response: HttpServerResponse.HttpServerResponse) => {
  const detail = response.body._tag === "Empty" ? words[response.status] : undefined
  if (detail === undefined) return response
  const { allow } = response.headers
  return HttpServerResponse.setHeaders(
    refusal(response.status, codes[response.status] ?? "BAD_REQUEST", detail),
    allow === undefined ? {} : { allow }
  )
}

/** What of a request's headers the protocol looks at. */
const forwarded = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  ["accept", "content-type", "mcp-protocol-version"].flatMap((name): Array<[string, string]> => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value]]
  })

const routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const path = pathOf(yield* Addresses)
    const server = yield* ToolServer
    const sessions = yield* ToolSessions

    /** A session that was begun is known, even when the client does not wait for the answer. */
    const initialize = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, body: string) {
      const caller = yield* Caller
      const response = yield* server.ask(caller, { method: "POST", headers: forwarded(request), body })
      const id = response.headers.get(sessionHeader)
      if (id !== null) yield* Effect.forEach(yield* sessions.open(id, caller), server.end, { discard: true })
      return HttpServerResponse.fromWeb(response)
    }, Effect.uninterruptible)

    const post = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const caller = yield* Caller
      const body = yield* Effect.orDie(request.text)
      if (JsonRpc.isTooMany(body)) return tooMany
      if (JsonRpc.repeatsIds(body)) return sameIds
      const id = request.headers[sessionHeader]
      if (id !== undefined)
        return (yield* sessions.isOf(id, caller)) ? yield* sessions.using(id, caller, server.answer) : noSession
      return JsonRpc.isInitialize(body) ? yield* initialize(request, body) : yield* server.answer
    })

    const remove = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const id = headers[sessionHeader]
      if (id !== undefined && !(yield* sessions.isOf(id, yield* Caller))) return noSession
      const response = yield* server.answer
      if (id !== undefined && response.status === 204) yield* sessions.close(id)
      return response
    })

    yield* router.add("POST", path, Effect.map(post, explained))
    yield* router.add("DELETE", path, Effect.map(Effect.uninterruptible(remove), explained))
    yield* router.add("GET", path, Effect.map(server.answer, explained))
  })
).pipe(Layer.provide(ToolAuthentication.middleware(JsonRpc.countMessages).combine(OwnOrigin.middleware).layer))

/** A browser asks before a page may send credentials, without any. */
const preflight = HttpRouter.use((router) =>
  Effect.flatMap(Addresses, (addresses) =>
    router.add("OPTIONS", pathOf(addresses), Cors.preflight("GET, POST, DELETE"))
  )
)

/** The Model Context Protocol over Streamable HTTP (specification section 4.12). */
export const layer = Layer.merge(routes, preflight)
