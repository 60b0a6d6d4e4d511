import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as CountPageRequest from "../pages/CountPageRequest.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import { ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"
import { acceptsGzip, choose, prepare, type Prepared } from "./PreparedResponse.ts"

/** A route whose response is cached. */
interface Cached {
  readonly path: string
  readonly contentType: string
  /** Computes further headers from the text of the response. */
  readonly more: (text: string) => Readonly<Record<string, string>>
}

/**
 * Caches a route's response for the lifetime of the process. The first request makes and compresses it; clients
 * revalidate it by its entity tag. Requests count against the rate limit of pages. The route answers the first request
 * and those with cookies; `WriteReadyAnswer` answers the others without a fiber.
 */
export const middleware = (cached: Cached) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const counted = yield* CountPageRequest.make
      const countAt = yield* CountPageRequest.makeAt
      let prepared: Promise<Prepared> | undefined
      let ready: Prepared["ready"] | undefined

      const readyAnswers = yield* ReadyAnswers
      yield* readyAnswers.add((request, now) => {
        if (request.url !== cached.path || ready === undefined) return undefined
        const answer = acceptsGzip(request.headers["accept-encoding"]?.toString()) ? ready.compressed : ready.plain
        const added = countAt(request, now)
        return added && { answer, added }
      })

      return (response) => {
        const prepareOnce = Effect.flatMap(response, (made) =>
          Effect.promise(() => (prepared ??= prepare(made, cached)))
        )
        const answer = Effect.gen(function* () {
          const known = yield* prepared === undefined
            ? prepareOnce
            : Effect.promise(() => prepared as Promise<Prepared>)
          ready = known.ready
          return choose(known, yield* HttpServerRequest.HttpServerRequest)
        })
        return Effect.matchEffect(counted, {
          onFailure: (limited) => Effect.succeed(errorAnswer(limited)),
          onSuccess: () => answer
        })
      }
    })
  )
