import { Deferred, Effect, Schema, type Scope } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"
import { isClosed } from "./ConnectionFailure.ts"
import type { Checked, CheckedOptions, KeepingAgents } from "./KeptConnections.ts"
import type { Agents } from "./OutboundAgent.ts"

/** A POST that the receiver may get twice. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The request got no answer. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  cause: Schema.Unknown,
  /** True when the request went out over a kept connection that ended before the first byte of an answer. */
  is_stale: Schema.Boolean
}) {}

/** An answer whose head has arrived. */
export interface Answer {
  readonly status: number
  /**
   * Reads the rest of the answer, so that the receiver sees no broken connection. Ends the connection after
   * `mostBytes`.
   */
  readonly rest: (mostBytes: number) => Effect.Effect<void>
}

const restOf =
  (response: Http.IncomingMessage) =>
  (mostBytes: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      let bytes = 0
      const end = () => resume(Effect.void)
      if (response.closed) return end()
      response
        .on("data", (chunk: Uint8Array) => {
          bytes += chunk.length
          if (bytes > mostBytes) response.destroy()
        })
        .once("close", end)
    })

const answerOf = (response: Http.IncomingMessage): Answer => {
  // An answer may break after its head.
  response.on("error", () => {})
  return { status: response.statusCode ?? 0, rest: restOf(response) }
}

/** The agents of a post. `fresh` keep no connection and check addresses themselves. */
export interface PostAgents {
  readonly keeping: KeepingAgents
  readonly fresh: Agents
}

/** Sends a request and waits for the head of the answer. */
const send = Effect.fnUntraced(function* (
  post: Post,
  { agents, checked, keeping }: { readonly agents: Agents; readonly checked: Checked; readonly keeping: KeepingAgents }
) {
  const begin = () => {
    const url = new URL(post.url)
    const [module, agent] = url.protocol === "https:" ? [Https, agents.https] : [Http, agents.http]
    const head = Deferred.makeUnsafe<Answer, NoAnswer>()
    const answered = (response: Http.IncomingMessage) => Deferred.doneUnsafe(head, Effect.succeed(answerOf(response)))
    const options: Https.RequestOptions & CheckedOptions = { agent, method: "POST", headers: post.headers, checked }
    const request = module
      .request(url, options)
      .on("error", (cause) => {
        const is_stale = request.reusedSocket && isClosed(cause) && keeping.isSilent(request.socket)
        Deferred.doneUnsafe(head, Effect.fail(new NoAnswer({ cause, is_stale })))
      })
      .on("response", (response) => {
        keeping.answered(response.socket, response.statusCode ?? 0)
        answered(response)
      })
      .on("upgrade", (response) => {
        answered(response)
        response.destroy()
      })
      .end(post.body)
    return { request, head: Deferred.await(head) }
  }
  const { head } = yield* Effect.acquireRelease(Effect.sync(begin), ({ request }) =>
    Effect.sync(() => request.destroy())
  )
  return yield* head
})

/**
 * Posts to checked addresses, over a kept connection if there is one. The receiver may close a kept connection at any
 * time. If it does so before the first byte of an answer, the request goes out once more over a new connection. The
 * receiver may get it twice, so this is safe (RFC 9110, section 9.2.2).
 */
export const post = (
  { fresh, keeping }: PostAgents,
  request: Post,
  checked: Checked
): Effect.Effect<Answer, NoAnswer, Scope.Scope> =>
  send(request, { agents: keeping, checked, keeping }).pipe(
    Effect.catchIf(
      ({ is_stale }) => is_stale,
      () => send(request, { agents: fresh, checked, keeping })
    )
  )
