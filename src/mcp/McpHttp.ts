import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../accounts/Caller.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import * as ToolAuthentication from "../rpc/ToolAuthentication.ts"
import * as InstanceName from "./InstanceName.ts"
import * as JsonRpc from "./JsonRpc.ts"
import { pathOf, ToolServer } from "./ToolServer.ts"
import { ToolSessions } from "./ToolSessions.ts"

const revisionHeader = "mcp-protocol-version"

export const sessionEnded =
  "The session does not exist or has ended; initialize another one. A purchase that was under way continues: repeat it with its idempotency_key"

/** Explanations for refusals that the framework answers without a body. */
const words: Record<number, string> = {
  400: "The header Mcp-Session-Id is missing, or the protocol revision has no batches",
  404: sessionEnded,
  405: "Send messages with POST and end a session with DELETE; this server has no stream to listen to",
  406: "The Accept header must list application/json and text/event-stream"
}

const explained = (response: HttpServerResponse.HttpServerResponse) => {
  const { body, headers, status } = response
  if (body._tag === "Uint8Array" && JsonRpc.isTagged(body.body))
    return HttpServerResponse.setBody(response, JsonRpc.declared(new TextDecoder().decode(body.body)))
  const detail = body._tag === "Empty" ? words[status] : undefined
  if (detail === undefined) return response
  const code = status === 404 ? "NOT_FOUND" : "BAD_REQUEST"
  const allow = headers["allow"]
  return errorAnswer({ status, code, detail }, allow === undefined ? {} : { allow: `${allow}, OPTIONS` })
}

/** Also the answer for another caller's session, so that callers cannot find out session ids. */
const noSession = explained(HttpServerResponse.empty({ status: 404 }))

/** The headers that the protocol reads in a request without a session. */
const forwarded = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  ["accept", "content-type", revisionHeader, "mcp-method"].flatMap((name): Array<[string, string]> => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value]]
  })

/** The Model Context Protocol over Streamable HTTP. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const path = pathOf(yield* Addresses)
    const server = yield* ToolServer
    const sessions = yield* ToolSessions

    /**
     * Answers the capabilities of the server, in a session or without one. It registers a new session even when the client
     * leaves before the answer.
     */
    const introduce = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, body: string) {
      const caller = yield* Caller
      const response = yield* server.ask(caller, { method: "POST", headers: forwarded(request), body })
      const [id, revision] = [InstanceName.header, revisionHeader].map(
        (name) => response.headers.get(name) ?? undefined
      )
      if (id !== undefined && revision !== undefined)
        yield* Effect.forEach(yield* sessions.open(id, revision, caller), server.end, { discard: true })
      const answer = HttpServerResponse.fromWeb(response)
      const text = yield* Effect.promise(() => response.text())
      return text === "" ? answer : HttpServerResponse.setBody(answer, JsonRpc.declared(text))
    }, Effect.uninterruptible)

    /** Answers a request in a session. A session that ends meanwhile ends the call with 404. */
    const inSession = Effect.fnUntraced(function* (
      id: string,
      request: HttpServerRequest.HttpServerRequest,
      message: unknown
    ) {
      const caller = yield* Caller
      const revision = yield* sessions.revisionOf(id, caller)
      if (revision === undefined) return noSession
      const read = server.read(request, message, revision)
      const answered = read === undefined ? server.answer : Effect.catch(read, () => server.answer)
      const answer = yield* sessions.using(id, caller, answered)
      return (yield* sessions.revisionOf(id, caller)) === undefined ? noSession : answer
    })

    const post = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const body = yield* Effect.orDie(request.text)
      const id = request.headers[InstanceName.header]
      const message = JsonRpc.parse(body)
      const method = JsonRpc.methodOf(message)
      if (method === "server/discover") return yield* introduce(request, body)
      if (id !== undefined) return yield* inSession(id, request, message)
      return method === "initialize" ? yield* introduce(request, body) : yield* server.answer
    })

    const remove = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const id = headers[InstanceName.header]
      if (id !== undefined && (yield* sessions.revisionOf(id, yield* Caller)) === undefined) return noSession
      const response = yield* server.answer
      if (id !== undefined && response.status === 204) yield* sessions.close(id)
      return response
    })

    yield* router.add("POST", path, Effect.map(post, explained))
    yield* router.add("DELETE", path, Effect.map(Effect.uninterruptible(remove), explained))
    yield* router.add("GET", path, Effect.map(server.answer, explained))
  })
).pipe(Layer.provide(ToolAuthentication.middleware(JsonRpc.inspect).combine(InstanceName.middleware).layer))
