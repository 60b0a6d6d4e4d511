import { Clock, Context, Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { isNamedBy } from "../catalog/EntityTag.ts"
import { type ReadyAnswer, ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"
import * as Metrics from "./Metrics.ts"
import * as RequestBoundary from "./RequestBoundary.ts"

const hasBody = ({ headers }: IncomingMessage) =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** The headers that an answer has for every request: of a `200`, and of a `304`. */
const makeHeads = (headersOf: (url: string, status: number) => Readonly<Record<string, string>>) => {
  const heads = new WeakMap<ReadyAnswer, { readonly full: Array<string>; readonly unchanged: Array<string> }>()
  return (answer: ReadyAnswer, url: string) => {
    const found = heads.get(answer)
    if (found !== undefined) return found
    const always = Object.entries(headersOf(url, 200)).flat()
    const full = [...always, ...answer.head, "content-length", String(answer.body.byteLength)]
    const made = { full, unchanged: [...always, ...answer.unchangedHead] }
    heads.set(answer, made)
    return made
  }
}

/**
 * Makes the function that writes an answer that is kept encoded. It runs no fiber. It returns false when a route has to
 * answer: when no such answer is kept, when the client is over its limit, and when the request has a body, because the
 * route limits the bytes that it drops.
 */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const clock = Context.get(context, Clock.Clock)
  const readyAnswers = yield* ReadyAnswers
  const headsOf = makeHeads(yield* RequestBoundary.makeHeaders)

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers, method, url = "/" } = request
    if (method !== "GET" || hasBody(request)) return false
    const now = clock.currentTimeMillisUnsafe()
    const found = readyAnswers.find(request, now)
    if (found === undefined) return false
    const { added, answer } = found
    const known = headers["if-none-match"]
    const isKnown = known !== undefined && isNamedBy(answer.etag, known)
    const status = isKnown ? 304 : 200
    const given = headers["x-request-id"]
    const { full, unchanged } = headsOf(answer, url)
    const head = (isKnown ? unchanged : full).slice()
    head.push("x-request-id", RequestBoundary.requestIdOf(typeof given === "string" ? given : undefined))
    for (const name in added) head.push(name, added[name] ?? "")
    response.writeHead(status, head).end(isKnown ? undefined : answer.body)
    Metrics.answered(context, method, status, clock.currentTimeMillisUnsafe() - now)
    return true
  }
})
