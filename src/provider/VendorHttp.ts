import { ByteSize, DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpIncomingMessage } from "effect/http"
import * as RetryAfter from "../platform/requests/RetryAfter.ts"
import { VendorFault } from "./VendorFault.ts"
import { type CallKind, type VendorLane } from "./VendorLane.ts"

/** What a vendor's server said; never an answer of 429, nor of 500 and above. */
export interface VendorAnswer {
  readonly status: number
  /** Undefined when it is not JSON. */
  readonly body: unknown
}

/** How long an answer may take. */
export interface CallTimeouts {
  readonly free: Duration.Duration
  readonly money: Duration.Duration
}

/** A call of a vendor's API, and what its answer is like. */
export interface Call<S> {
  readonly kind: CallKind
  readonly path: string
  readonly schema: S
  readonly query?: Readonly<Record<string, string | number>>
  /** Makes it a POST, or the method that is named. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly method?: "POST" | "DELETE"
  /** Runs when it is the call's turn; when it fails, nothing is sent. */
  readonly before?: Effect.Effect<void, VendorFault>
}

export const requestFor = (root: string, { body, method = "POST", path, query = {} }: Call<unknown>) => {
  const url = `${root}/${path}`
  const request =
    body === undefined
      ? HttpClientRequest.get(url)
      : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.make(method)(url), body)
  return HttpClientRequest.setUrlParams(request, query)
}

/** What is to be thought of a call whose answer says nothing: what is billed may have happened. */
export const unclear = (kind: CallKind, reason: string) =>
  new VendorFault({ outcome: kind === "money" ? "unknown" : "not_executed", reason })

/** An answer in the shape that the call expects. */
export const decodeAs = <S extends Schema.ConstraintDecoder<unknown>>(
  vendor: string,
  { kind, path, schema }: Call<S>,
  data: unknown
): Effect.Effect<S["Type"], VendorFault> =>
  Schema.decodeUnknownEffect(schema)(data).pipe(
    Effect.tapError(() => Effect.logWarning(`${vendor} answered ${path} in another shape`)),
    Effect.mapError(() => unclear(kind, "an answer that cannot be read"))
  )

const maxBody = ByteSize.mebibytes(16)
/** Without a word of the vendor's about it. */
const defaultPause = Duration.seconds(2)

/** The connection never came about, so nothing was sent. */
const unsent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])

const codeOf = Schema.decodeUnknownOption(Schema.Struct({ code: Schema.String }))
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Neither the address, which may hold a key, nor the request goes into the reason. */
const broken = ({ cause }: HttpClientError.HttpClientError) => {
  const code = Option.getOrElse(codeOf(cause), () => ({ code: "the connection failed" })).code
  return { isSent: !unsent.has(code), reason: `no answer (${code})` }
}

const pauseOf = (header: string | undefined) =>
  Effect.map(DateTime.now, (now) => Option.getOrElse(RetryAfter.parse(header, now), () => defaultPause))

/**
 * Sends calls to a vendor at its pace. A question is asked a second time when it got no answer; nothing else ever is.
 * What became of a call that costs money and got no answer is unknown, unless it was never sent.
 */
export const make = Effect.fnUntraced(function* (lane: VendorLane, timeouts: CallTimeouts) {
  const client = yield* HttpClient.HttpClient

  const exchange = (kind: CallKind, request: HttpClientRequest.HttpClientRequest) => {
    const fault = (isSent: boolean, reason: string) =>
      isSent ? unclear(kind, reason) : new VendorFault({ outcome: "not_executed", reason })
    return client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBody),
      // Keys are in addresses and headers: no span shows them.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.mapError((error) => {
        const { isSent, reason } = broken(error)
        return fault(isSent, reason)
      }),
      Effect.timeoutOrElse({
        duration: kind === "money" ? timeouts.money : timeouts.free,
        orElse: () => Effect.fail(fault(true, "no answer in time"))
      }),
      Effect.filterOrFail(
        ({ response }) => response.status < 500,
        ({ response }) => fault(true, `HTTP ${response.status}`)
      )
    )
  }

  return Effect.fnUntraced(function* (
    kind: CallKind,
    request: HttpClientRequest.HttpClientRequest,
    before: Effect.Effect<void, VendorFault> = Effect.void
  ): Effect.fn.Return<VendorAnswer, VendorFault> {
    const call = exchange(kind, request)
    const { response, text } = yield* Effect.andThen(
      before,
      kind === "read" ? Effect.retry(call, { times: 1 }) : call
    ).pipe(lane.run(kind))
    if (response.status === 429) {
      yield* lane.pause(yield* pauseOf(response.headers["retry-after"]))
      return yield* new VendorFault({ outcome: "not_executed", reason: "too many calls (HTTP 429)" })
    }
    return { status: response.status, body: Option.getOrUndefined(parse(text)) }
  })
})
