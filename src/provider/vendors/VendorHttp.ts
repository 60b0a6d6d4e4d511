import { ByteSize, DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpIncomingMessage } from "effect/http"
import * as ConnectionFailure from "../../platform/outbound/ConnectionFailure.ts"
import * as RetryAfter from "../../platform/requests/RetryAfter.ts"
import { VendorFailure } from "./VendorFailure.ts"
import { type CallKind, type VendorLane } from "./PaceVendorCalls.ts"

/** The answer of a vendor's server. 429 and 5xx never get here: they are failures. */
export interface VendorAnswer {
  readonly status: number
  /** Undefined when the body is not JSON. */
  readonly body: unknown
}

/** The time limit of an answer: `money` for calls that cost money, `free` for all others. */
export interface CallTimeouts {
  readonly free: Duration.Duration
  readonly money: Duration.Duration
}

/** A call to a vendor's API, and the shape of its answer. */
export interface Call<S> {
  readonly kind: CallKind
  readonly path: string
  readonly schema: S
  readonly query?: Readonly<Record<string, string | number>>
  /** A body makes the call a POST, unless `method` names another method. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly method?: "POST" | "DELETE"
  /** Runs immediately before the call is sent. When it fails, nothing is sent. */
  readonly before?: Effect.Effect<void, VendorFailure>
}

/** Builds the HTTP request of a call below the address `root`. */
export const requestFor = (root: string, { body, method = "POST", path, query = {} }: Call<unknown>) => {
  const url = `${root}/${path}`
  const request =
    body === undefined
      ? HttpClientRequest.get(url)
      : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.make(method)(url), body)
  return HttpClientRequest.setUrlParams(request, query)
}

/** Builds the failure of a call whose answer tells nothing: a call that costs money may have had an effect. */
export const unclear = (kind: CallKind, reason: string) =>
  new VendorFailure({ outcome: kind === "money" ? "unknown" : "not_executed", reason })

/** Decodes the data of an answer. Data of another shape is a failure. */
export const decodeAs = <S extends Schema.ConstraintDecoder<unknown>>(
  vendor: string,
  { kind, path, schema }: Call<S>,
  data: unknown
): Effect.Effect<S["Type"], VendorFailure> =>
  Schema.decodeUnknownEffect(schema)(data).pipe(
    Effect.tapError(() => Effect.logWarning(`Cannot read the answer of ${vendor} to ${path}: it has an unknown shape`)),
    Effect.mapError(() => unclear(kind, "an answer that cannot be read"))
  )

const maxBody = ByteSize.mebibytes(16)
const pauseWithoutRetryAfter = Duration.seconds(2)

const codeOf = Schema.decodeUnknownOption(Schema.Struct({ code: Schema.String }))
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Describes a failed exchange. The address may contain a key, so the reason contains neither address nor request. */
const broken = ({ cause }: HttpClientError.HttpClientError) => {
  const code = Option.getOrElse(codeOf(cause), () => ({ code: "the connection failed" })).code
  return { isSent: !ConnectionFailure.isUnsent(code), reason: `no answer (${code})` }
}

const pauseOf = (header: string | undefined) =>
  Effect.map(DateTime.now, (now) => Option.getOrElse(RetryAfter.parse(header, now), () => pauseWithoutRetryAfter))

/**
 * Sends calls to a vendor at the vendor's pace. Repeats a read once when it gets no answer, and no other call. The
 * outcome of an unanswered call that costs money is unknown, unless the call was never sent.
 */
export const make = Effect.fnUntraced(function* (lane: VendorLane, timeouts: CallTimeouts) {
  const client = yield* HttpClient.HttpClient

  const exchange = (kind: CallKind, request: HttpClientRequest.HttpClientRequest) => {
    const failure = (isSent: boolean, reason: string) =>
      isSent ? unclear(kind, reason) : new VendorFailure({ outcome: "not_executed", reason })
    return client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBody),
      // Addresses and headers contain keys, so calls have no spans.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.mapError((error) => {
        const { isSent, reason } = broken(error)
        return failure(isSent, reason)
      }),
      Effect.timeoutOrElse({
        duration: kind === "money" ? timeouts.money : timeouts.free,
        orElse: () => Effect.fail(failure(true, "no answer in time"))
      }),
      Effect.filterOrFail(
        ({ response }) => response.status < 500,
        ({ response }) => failure(true, `HTTP ${response.status}`)
      )
    )
  }

  return Effect.fnUntraced(function* (
    kind: CallKind,
    request: HttpClientRequest.HttpClientRequest,
    before: Effect.Effect<void, VendorFailure> = Effect.void
  ): Effect.fn.Return<VendorAnswer, VendorFailure> {
    const call = exchange(kind, request)
    const { response, text } = yield* Effect.andThen(
      before,
      kind === "read" ? Effect.retry(call, { times: 1 }) : call
    ).pipe(lane.run(kind))
    if (response.status === 429) {
      yield* lane.pause(yield* pauseOf(response.headers["retry-after"]))
      return yield* new VendorFailure({ outcome: "not_executed", reason: "too many calls (HTTP 429)" })
    }
    return { status: response.status, body: Option.getOrUndefined(parse(text)) }
  })
})
