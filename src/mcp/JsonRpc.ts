import { Predicate, Result } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { badRequest } from "../platform/errors/ErrorAnswer.ts"
import * as JsonBounds from "../platform/fields/JsonBounds.ts"
import { type Inspect, mostCalls } from "../rpc/ToolAuthentication.ts"

/** Parses a body. Undefined when it is not JSON. */
export const parse = (body: string): unknown => {
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

/** The method of a body that is one message. */
export const methodOf = (message: unknown): string | undefined =>
  Predicate.hasProperty(message, "method") && typeof message.method === "string" ? message.method : undefined

/** The fault of a message (JSON-RPC 2.0, sections 4 and 5). Undefined when the message is valid. */
const faultOf = (message: unknown): string | undefined => {
  if (!Predicate.hasProperty(message, "jsonrpc") || message.jsonrpc !== "2.0")
    return `each message is an object with "jsonrpc": "2.0"`
  const method = methodOf(message)
  if (method === undefined)
    return "id" in message && "result" in message !== "error" in message
      ? undefined
      : "a message is a request, a notification or a response"
  if (idOf(message) !== undefined || (!("id" in message) && method.startsWith("notifications/"))) return undefined
  return `${method} needs an id, a string or a number: without an id the client gets no answer`
}

const invalid = (id: Id | null, reason: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32600, message: `Invalid Request: ${reason}; nothing was done` }
})

/** True when two requests have the same id: the client could not tell their answers apart. */
const repeatsIds = (messages: ReadonlyArray<unknown>) => {
  const ids = messages.filter((message) => methodOf(message) !== undefined).map(idOf)
  const given = ids.filter(Predicate.isNotUndefined)
  return new Set(given).size < given.length
}

/** True when a batch asks for a list twice: a list is cheap to request and expensive to answer. */
const repeatsLists = (messages: ReadonlyArray<unknown>) => {
  const lists = messages.map(methodOf).filter((method) => method?.endsWith("/list"))
  return new Set(lists).size < lists.length
}

/** The errors for each invalid message, and for each request that is not done because of it. */
const answersTo = (messages: ReadonlyArray<unknown>) =>
  messages.flatMap((message) => {
    const fault = faultOf(message)
    if (fault !== undefined) return [invalid(idOf(message) ?? null, fault)]
    const id = idOf(message)
    return id === undefined || methodOf(message) === undefined
      ? []
      : [invalid(id, "another message of the batch is invalid")]
  })

/**
 * Counts the messages of a body, or returns the response that refuses the whole body. A body that is not JSON counts as
 * one.
 */
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
    return Result.fail(badRequest("Send initialize alone, not in a batch; nothing was done"))
  if (repeatsLists(messages))
    return Result.fail(badRequest("A batch may ask for each list only once; nothing was done"))
  return repeatsIds(messages)
    ? Result.fail(badRequest("The requests of a batch need different ids; nothing was done"))
    : Result.succeed(Math.max(1, messages.length))
}

/** Capabilities that the framework always declares, and its internal name of an error. */
const undeclared = new Set(["completions", "logging", "listChanged", "subscribe", "_tag"])

/** Removes undeclared capabilities and internal names from an answer. */
export const declared = (answer: string): HttpBody.HttpBody =>
  HttpBody.text(
    JSON.stringify(JSON.parse(answer, (key, value) => (undeclared.has(key) ? undefined : value))),
    "application/json"
  )

/** True when an answer is an error with the framework's internal name at its end. */
export const isTagged = (answer: Uint8Array): boolean =>
  /,"_tag":"\w+"\}\}$/.test(new TextDecoder().decode(answer.subarray(-64)))
