import { Context, Effect, Layer, type Scope } from "effect"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"

/** Answers a request, or returns false. `waitsForContinue`: the client sends its body only after `100 Continue`. */
export type Answering = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean) => boolean

const isRequest = (event: string) => event === "request" || event === "checkContinue"

/** Answers requests of Node's server before the framework's routes get them. */
export class ApiListener extends Context.Service<
  ApiListener,
  {
    /** Answers requests until the scope closes. */
    readonly answerWith: (answering: Answering) => Effect.Effect<void, never, Scope.Scope>
  }
>()("app/http/ApiListener") {
  /** Request listeners that are added to the server later get only the requests that no `Answering` answers. */
  static readonly layerOf = (server: Server) =>
    Layer.sync(ApiListener, () => {
      const all = new Set<Answering>()
      const add = server.on.bind(server)
      server.on = (event: string, listener: RequestListener) => {
        // Without a listener for upgrades, Node treats a request for another protocol, such as h2c, as any other.
        if (event === "upgrade") return server
        if (!isRequest(event)) return add(event, listener)
        const rest: RequestListener = (request, response) => {
          for (const answering of all) if (answering(request, response, event === "checkContinue")) return
          listener(request, response)
        }
        // Node looks for this property when a listener is removed.
        return add(event, Object.assign(rest, { listener }))
      }
      return ApiListener.of({
        answerWith: (answering) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => all.add(answering)),
              () => Effect.sync(() => all.delete(answering))
            )
          )
      })
    })
}
