import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { isNamedBy } from "../catalog/EntityTag.ts"
import * as CountPageRequest from "../dashboard/CountPageRequest.ts"
import { errorAnswer } from "../platform/errors/ErrorAnswer.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** A response, plain and compressed, and the `304` for a client that already has it. */
interface Prepared {
  readonly opaque: string
  readonly plain: Response
  readonly compressed: Response
  readonly unchanged: Response
}

const bytesOf = ({ body }: Response) => {
  if (body._tag !== "Uint8Array") throw new Error(`Cannot cache a response with a ${body._tag} body`)
  return body.body
}

const prepare = async (response: Response, contentType: string, more: (text: string) => Headers): Promise<Prepared> => {
  const plain = bytesOf(response)
  const opaque = `"${hash("sha256", plain, "base64url")}"`
  const headers = {
    ...more(new TextDecoder().decode(plain)),
    etag: `W/${opaque}`,
    "cache-control": "public, max-age=300",
    vary: "Accept-Encoding"
  }
  const compressed = await promisify(gzip)(plain, { level: 9 })
  return {
    opaque,
    plain: HttpServerResponse.uint8Array(plain, { headers, contentType }),
    compressed: HttpServerResponse.uint8Array(compressed, {
      headers: { ...headers, "content-encoding": "gzip" },
      contentType
    }),
    unchanged: HttpServerResponse.empty({ status: 304, headers })
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
 * revalidate it by its entity tag. `more` computes further headers from its text. Requests count against the rate limit
 * of pages.
 */
export const middleware = (contentType: string, more: (text: string) => Headers) =>
  HttpRouter.middleware(
    Effect.map(CountPageRequest.make, (counted) => (response) => {
      let prepared: Promise<Prepared> | undefined
      const prepareOnce = Effect.flatMap(response, (made) =>
        Effect.promise(() => (prepared ??= prepare(made, contentType, more)))
      )
      const answer = Effect.gen(function* () {
        const ready = yield* prepared === undefined ? prepareOnce : Effect.promise(() => prepared as Promise<Prepared>)
        return choose(ready, yield* HttpServerRequest.HttpServerRequest)
      })
      return Effect.matchEffect(counted, {
        onFailure: (limited) => Effect.succeed(errorAnswer(limited)),
        onSuccess: () => answer
      })
    })
  )
