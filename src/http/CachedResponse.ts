import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { isNamedBy } from "../catalog/EntityTag.ts"
import * as CountPageRequest from "../pages/CountPageRequest.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"
import { type ReadyAnswer, ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** A response, plain and compressed, and the `304` for a client that already has it. */
interface Prepared {
  readonly opaque: string
  readonly plain: Response
  readonly compressed: Response
  readonly unchanged: Response
  /** The same, to be written without the route. */
  readonly ready: { readonly plain: ReadyAnswer; readonly compressed: ReadyAnswer }
}

/** A route whose response is cached. */
export interface Cached {
  readonly path: string
  readonly contentType: string
  /** Computes further headers from the text of the response. */
  readonly more: (text: string) => Headers
}

const bytesOf = ({ body }: Response) => {
  if (body._tag !== "Uint8Array") throw new Error(`Cannot cache a response with a ${body._tag} body`)
  return body.body
}

const prepare = async (response: Response, { contentType, more }: Cached): Promise<Prepared> => {
  const plain = bytesOf(response)
  const opaque = `"${hash("sha256", plain, "base64url")}"`
  const headers = {
    ...more(new TextDecoder().decode(plain)),
    etag: `W/${opaque}`,
    "cache-control": "public, max-age=300",
    vary: "Accept-Encoding"
  }
  const coded = { ...headers, "content-encoding": "gzip" }
  const compressed = await promisify(gzip)(plain, { level: 9 })
  const unchangedHead = Object.entries(headers).flat()
  const ready = (body: Uint8Array, own: Headers): ReadyAnswer => ({
    etag: opaque,
    body,
    head: Object.entries({ ...own, "content-type": contentType }).flat(),
    unchangedHead
  })
  return {
    opaque,
    plain: HttpServerResponse.uint8Array(plain, { headers, contentType }),
    compressed: HttpServerResponse.uint8Array(compressed, { headers: coded, contentType }),
    unchanged: HttpServerResponse.empty({ status: 304, headers }),
    ready: { plain: ready(plain, headers), compressed: ready(compressed, coded) }
  }
}

/** True when the header accepts gzip; weight 0 refuses a coding (RFC 9110, section 12.5.3). */
const acceptsGzip = (header = "") =>
  header.split(",").some((entry) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(entry))

const choose = (
  { compressed, opaque, plain, unchanged }: Prepared,
  { headers }: HttpServerRequest.HttpServerRequest
) => {
  const known = headers["if-none-match"]
  if (known !== undefined && isNamedBy(opaque, known)) return unchanged
  return acceptsGzip(headers["accept-encoding"]) ? compressed : plain
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
