import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { isNamedBy } from "../catalog/EntityTag.ts"
import type { ReadyAnswer } from "../platform/requests/ReadyAnswers.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

/** A response, plain and compressed, and the `304` for a client that already has it. */
export interface Prepared {
  readonly opaque: string
  readonly plain: Response
  readonly compressed: Response
  readonly unchanged: Response
  /** The same, to be written without the route. */
  readonly ready: { readonly plain: ReadyAnswer; readonly compressed: ReadyAnswer }
}

interface Options {
  readonly contentType: string
  /** Computes further headers from the text of the response. */
  readonly more: (text: string) => Headers
  /** The headers of requests on which the response depends, besides the accepted codings. */
  readonly vary?: string
}

const bytesOf = ({ body }: Response) => {
  if (body._tag !== "Uint8Array") throw new Error(`Cannot cache a response with a ${body._tag} body`)
  return body.body
}

/** Compresses a response, and gives it an entity tag. Clients keep it for five minutes. */
export const prepare = async (response: Response, { contentType, more, vary }: Options): Promise<Prepared> => {
  const plain = bytesOf(response)
  const opaque = `"${hash("sha256", plain, "base64url")}"`
  const headers = {
    ...more(new TextDecoder().decode(plain)),
    etag: `W/${opaque}`,
    "cache-control": "public, max-age=300",
    vary: vary === undefined ? "Accept-Encoding" : `Accept-Encoding, ${vary}`
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
export const acceptsGzip = (header = "") =>
  header.split(",").some((entry) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(entry))

/** Chooses the form of a response that a request accepts. */
export const choose = (
  { compressed, opaque, plain, unchanged }: Prepared,
  { headers }: HttpServerRequest.HttpServerRequest
) => {
  const known = headers["if-none-match"]
  if (known !== undefined && isNamedBy(opaque, known)) return unchanged
  return acceptsGzip(headers["accept-encoding"]) ? compressed : plain
}
