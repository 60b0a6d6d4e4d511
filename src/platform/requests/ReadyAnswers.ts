import { Context, Effect, Layer, type Scope } from "effect"
import type { IncomingMessage } from "node:http"

/** An answer that is kept encoded. */
export interface ReadyAnswer {
  /** The entity tag in its quotes, without the mark of a weak one. */
  readonly etag: string
  readonly body: Uint8Array
  /** Names and values of its headers in turns, without the length. */
  readonly head: ReadonlyArray<string>
  /** The headers of a `304`, for a client that has the answer already. */
  readonly unchangedHead: ReadonlyArray<string>
}

/** An answer to one request, and the headers that its limits add. */
interface Found {
  readonly answer: ReadyAnswer
  readonly added: Readonly<Record<string, string>>
}

/**
 * Finds the answer to a GET request at a time in milliseconds, and counts the request. Undefined when a route has to
 * answer, such as for credentials that the answer depends on; then nothing is counted.
 */
type Find = (request: IncomingMessage, now: number) => Found | undefined

/** The answers that a server may send without asking their route. */
export class ReadyAnswers extends Context.Service<
  ReadyAnswers,
  {
    readonly find: Find
    /** Adds a source of answers until the scope closes. */
    readonly add: (source: Find) => Effect.Effect<void, never, Scope.Scope>
  }
>()("app/platform/ReadyAnswers") {
  static readonly layer = Layer.sync(ReadyAnswers, () => {
    const sources = new Set<Find>()
    return ReadyAnswers.of({
      find: (request, now) => {
        for (const source of sources) {
          const found = source(request, now)
          if (found !== undefined) return found
        }
      },
      add: (source) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => sources.add(source)),
            () => Effect.sync(() => sources.delete(source))
          )
        )
    })
  })
}
