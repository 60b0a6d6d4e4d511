import { Predicate, Result } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { badRequest } from "../platform/errors/ErrorAnswer.ts"
import * as JsonBounds from "../platform/fields/JsonBounds.ts"
import { type Inspect, mostCalls } from "../rpc/ToolAuthentication.ts"

/** What a body says; undefined when it is no JSON. */
const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

type Id = string | number

const isId = (id: unknown): id is Id => typeof id === "string" || Number.isFinite(id)

const idOf = (message: unknown): Id | undefined =>
  Predicate.hasProperty(message, "id") && isId(message.id) ? message.id : undefined

const methodOf = (message: unknown): string | undefined =>
  Predicate.hasProperty(message, "method") && typeof message.method === "string" ? message.method : undefined

/** What is wrong with a message (JSON-RPC 2.0, sections 4 and 5); undefined when nothing is. */
const faultOf = (message: unknown): string | undefined => {
  if (!Predicate.hasProperty(message, "jsonrpc") || message.jsonrpc !== "2.0")
    return `each message is an object with "jsonrpc": "2.0"`
  const method = methodOf(message)
  if (method === undefined)
    return "id" in message && "result" in message !== "error" in message
      ? undefined
      : "a message is a request, a notification or a response"
  if (idOf(message) !== undefined || (!("id" in message) && method.startsWith("notifications/"))) return undefined
  return `${method} needs an id, a string or a number: nobody would see the answer without one`
}

const invalid = (id: Id | null, reason: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32600, message: `Invalid Request: ${reason}; nothing was done` }
})

/** Requests whose answers would be mixed up or lost. */
const repeatsIds = (messages: ReadonlyArray<unknown>) => {
  const ids = messages.filter((message) => methodOf(message) !== undefined).map(idOf)
  const given = ids.filter(Predicate.isNotUndefined)
  return new Set(given).size < given.length
}

/** A list is dear to answer and cheap to ask for. */
const repeatsLists = (messages: ReadonlyArray<unknown>) => {
  const lists = messages.map(methodOf).filter((method) => method?.endsWith("/list"))
  return new Set(lists).size < lists.length
}

/** Every faulty message is answered, and every request that is not done because of it. */
const answersTo = (messages: ReadonlyArray<unknown>) =>
  messages.flatMap((message) => {
    const fault = faultOf(message)
    if (fault !== undefined) return [invalid(idOf(message) ?? null, fault)]
    const id = idOf(message)
    return id === undefined || methodOf(message) === undefined
      ? []
      : [invalid(id, "another message of the batch is invalid")]
  })

/** How many messages a body holds, or the answer that refuses it whole. What is no JSON counts as one. */
export const inspect: Inspect = (body) => {
  const tooMuch = JsonBounds.faultOf(body)
  if (tooMuch !== undefined) return Result.fail(badRequest(tooMuch))
  const said = parse(body)
  if (said === undefined) return Result.succeed(1)
  const messages: ReadonlyArray<unknown> = Array.isArray(said) ? said : [said]
  if (messages.length > mostCalls) return Result.fail(badRequest(`A batch holds at most ${mostCalls} messages`))
  if (messages.some((message) => faultOf(message) !== undefined)) {
    const answers = answersTo(messages)
    return Result.fail(HttpServerResponse.jsonUnsafe(Array.isArray(said) ? answers : answers[0], { status: 400 }))
  }
  if (Array.isArray(said) && messages.some((message) => methodOf(message) === "initialize"))
    return Result.fail(badRequest("initialize is sent alone, in no batch; nothing was done"))
  if (repeatsLists(messages)) return Result.fail(badRequest("A batch asks for each list once; nothing was done"))
  return repeatsIds(messages)
    ? Result.fail(badRequest("The requests of a batch need different ids; nothing was done"))
    : Result.succeed(Math.max(1, messages.length))
}

/** The method of a body that is one message. */
export const soleMethod = (body: string): string | undefined => methodOf(parse(body))

/** Capabilities that the protocol's server always declares, and its own name for an error. */
const undeclared = new Set(["completions", "logging", "listChanged", "subscribe", "_tag"])

/** An introduction or an error with what the service does and JSON-RPC has, and no more. */
export const declared = (answer: string): HttpBody.HttpBody =>
  HttpBody.text(
    JSON.stringify(JSON.parse(answer, (key, value) => (undeclared.has(key) ? undefined : value))),
    "application/json"
  )

/** Says whether an answer is an error that ends in the server's own name for it. */
export const isTagged = (answer: Uint8Array): boolean =>
  /,"_tag":"\w+"\}\}$/.test(new TextDecoder().decode(answer.subarray(-64)))
