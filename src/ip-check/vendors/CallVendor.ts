import { ByteSize, DateTime, Duration, Effect, Option, Predicate, Redacted, Result, Schema } from "effect"
import { HttpClient, type HttpClientError, type HttpClientRequest, HttpIncomingMessage } from "effect/http"
import { NetAddress } from "effect/net"
import * as ConnectionFailure from "../../platform/outbound/ConnectionFailure.ts"
import { canonicalText } from "../../platform/outbound/PublicAddress.ts"
import * as RetryAfter from "../../platform/requests/RetryAfter.ts"
import { type Finding, type Opinion, VendorUnavailable } from "./IpVendor.ts"

/** A call to a vendor's API about one address, and the reader of its answer. */
export interface Question<A> {
  readonly ip: string
  readonly request: HttpClientRequest.HttpClientRequest
  readonly schema: Schema.ConstraintDecoder<A>
  /** Reads the opinion from an answer. Undefined: the answer tells nothing about the address. */
  readonly read: (said: A, now: DateTime.Utc) => Opinion | undefined
  /** Reads the address that the answer is about. Undefined: the answer does not tell. */
  readonly subject?: (said: A) => string | undefined
  /** The opinion of an address that the vendor has never seen, and the shape of the 404 body that tells so. */
  readonly unseen?: { readonly schema: Schema.ConstraintDecoder<unknown>; readonly opinion: Opinion }
}

const mostRead = ByteSize.kibibytes(256)
const keptLength = 64 * 1024
const quotedLength = 200

const pauseWithoutRetryAfter = Duration.minutes(1)

/** The statuses of a healthy server that refuses a request. */
const refusals = new Set([400, 404, 422])

const codeOf = Schema.decodeUnknownOption(Schema.Struct({ code: Schema.String }))
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const Message = Schema.Struct({ message: Schema.String })
const Fault = Schema.Struct({ error: Schema.String })
const Details = Schema.Struct({ errors: Schema.NonEmptyArray(Schema.Struct({ detail: Schema.String })) })
const Inner = Schema.Struct({ scamalytics: Fault })
const complaints: ReadonlyArray<(body: unknown) => Option.Option<string>> = [
  (body) => Option.map(Schema.decodeUnknownOption(Message)(body), ({ message }) => message),
  (body) => Option.map(Schema.decodeUnknownOption(Fault)(body), ({ error }) => error),
  (body) => Option.map(Schema.decodeUnknownOption(Details)(body), ({ errors }) => errors[0].detail),
  (body) => Option.map(Schema.decodeUnknownOption(Inner)(body), ({ scamalytics }) => scamalytics.error)
]

/** Reads a vendor's error message: at most 200 characters, on one line, without secrets. */
const complaintOf = (body: unknown, withoutSecrets: (text: string) => string) =>
  Option.match(Option.firstSomeOf(complaints.map((read) => read(body))), {
    onNone: () => "an answer that cannot be read",
    onSome: (text) =>
      withoutSecrets(text)
        .slice(0, quotedLength)
        .replace(/[\p{C}\s]+/gu, " ")
        .trim()
  })

const isAbout = (ip: string, subject: string) => {
  const address = NetAddress.ipFromString(subject)
  return Result.isSuccess(address) && canonicalText(address.success) === ip
}

/** Describes a failed exchange. The URL may contain a key, so the reason contains neither URL nor request. */
const broken = ({ cause, reason }: HttpClientError.HttpClientError) => {
  const code = Option.getOrElse(codeOf(cause), () => ({ code: reason._tag })).code
  return { isUnsent: ConnectionFailure.isUnsent(code), reason: `no answer (${code})` }
}

/**
 * Makes the functions that call a vendor's API. They repeat a call once, and only when the call was never sent. Errors, spans
 * and stored answers never contain the given secrets.
 */
const makeExchange = Effect.fnUntraced(function* (secrets: ReadonlyArray<Redacted.Redacted>) {
  const client = yield* HttpClient.HttpClient
  const withoutSecrets = (text: string) =>
    secrets
      .map((secret) => Redacted.value(secret))
      // Some JSON encoders escape slashes.
      .flatMap((secret) => [secret, encodeURIComponent(secret), secret.replaceAll("/", "\\/")])
      .reduce((text, secret) => text.replaceAll(secret, "***"), text)

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    client.execute(request).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({ status: response.status, headers: response.headers, text }))
      ),
      Effect.mapError(broken),
      // The runtime throws when it cannot start the request.
      Effect.catchDefect(() => Effect.fail({ isUnsent: false, reason: "the request cannot be made" })),
      Effect.retry({ times: 1, while: ({ isUnsent }) => isUnsent }),
      Effect.mapError(({ reason }) => new VendorUnavailable({ reason, raw: null })),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, mostRead),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false)
    )

  return Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const { headers, status, text } = yield* send(request)
    const now = yield* DateTime.now
    // PostgreSQL cannot store NUL in a text.
    const raw = { status_code: status, body: withoutSecrets(text).slice(0, keptLength).replaceAll("\u0000", "\uFFFD") }
    if (status === 429) {
      const pause = Option.getOrElse(RetryAfter.parse(headers["retry-after"], now), () => pauseWithoutRetryAfter)
      return yield* new VendorUnavailable({ reason: "too many calls (HTTP 429)", raw, pause })
    }
    const body = Option.getOrUndefined(parse(text))
    const isSuccess = status >= 200 && status <= 299
    const isAnswer = body !== undefined && (isSuccess || refusals.has(status))
    const unavailable = (reason: string) =>
      new VendorUnavailable({ reason: `HTTP ${status}: ${reason}`, raw, isAnswer })
    return { body, isSuccess, now, raw, status, unavailable, complaint: complaintOf(body, withoutSecrets) }
  })
})

/** Makes the function that asks a vendor about an address. */
export const make = Effect.fnUntraced(function* (secrets: ReadonlyArray<Redacted.Redacted>) {
  const exchange = yield* makeExchange(secrets)
  return Effect.fnUntraced(function* <A>(question: Question<A>): Effect.fn.Return<Finding, VendorUnavailable> {
    const { body, complaint, isSuccess, now, raw, status, unavailable } = yield* exchange(question.request)
    const { read, schema, subject, unseen } = question
    if (status === 404 && unseen !== undefined && Option.isSome(Schema.decodeUnknownOption(unseen.schema)(body)))
      return { ...unseen.opinion, raw }
    const said = Schema.decodeUnknownOption(schema)(body)
    if (!isSuccess || Option.isNone(said)) return yield* unavailable(complaint)
    const about = subject?.(said.value)
    if (Predicate.isNotUndefined(about) && !isAbout(question.ip, about))
      return yield* unavailable("an answer about another address")
    const opinion = read(said.value, now)
    return opinion === undefined ? yield* unavailable("nothing about the address") : { ...opinion, raw }
  })
})

/** Makes the function that asks a vendor about the operator's account. */
export const makeForAccount = Effect.fnUntraced(function* (secrets: ReadonlyArray<Redacted.Redacted>) {
  const exchange = yield* makeExchange(secrets)
  return Effect.fnUntraced(function* <A>(
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.ConstraintDecoder<A>
  ): Effect.fn.Return<A, VendorUnavailable> {
    const { body, complaint, isSuccess, unavailable } = yield* exchange(request)
    const said = Schema.decodeUnknownOption(schema)(body)
    return isSuccess && Option.isSome(said) ? said.value : yield* unavailable(complaint)
  })
})
