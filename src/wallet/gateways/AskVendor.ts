import { ByteSize, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, type HttpClientRequest, HttpIncomingMessage } from "effect/http"
import { GatewayFailed } from "./PaymentGateway.ts"
import * as LosslessJson from "./LosslessJson.ts"

const timeout_seconds = 8
const bodyLimit = ByteSize.kibibytes(256)
const excerptLength = 200

/** Makes a failure with the vendor's own message: shortened, and without secrets that the message may repeat. */
export const failure =
  (vendor: string, secrets: ReadonlyArray<Redacted.Redacted>) =>
  (what: string): GatewayFailed => {
    const text = secrets.reduce((message, secret) => message.replaceAll(Redacted.value(secret), "***"), what)
    return new GatewayFailed({ reason: `${vendor} ${text.replace(/\s+/g, " ").slice(0, excerptLength)}` })
  }

/** The failure of a genuine call that is not in the expected form. */
export const unreadableCall = "sent a call that cannot be read"

export const isAccessRefused = (status: number) => status === 401 || status === 403

export const accessRefused = (status: number, credential: string) =>
  `refuses access (HTTP ${status}): check ${credential}`

const connectionFailures: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its host name could not be looked up",
  ETIMEDOUT: "no answer"
}

const Coded = Schema.Struct({ code: Schema.String })

/** Describes a failed connection; undefined without an error code. The error's own message may hold the address. */
export const connectionFailure = (error: unknown): string | undefined => {
  const { code } = Option.getOrElse(Schema.decodeUnknownOption(Coded)(error), () => ({ code: undefined }))
  return code === undefined ? undefined : (connectionFailures[code] ?? code)
}

/** Limits a call to a time that the waiting client accepts. */
export const inTime =
  (failed: (what: string) => GatewayFailed) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | GatewayFailed, R> =>
    Effect.timeoutOrElse(call, {
      duration: { seconds: timeout_seconds },
      orElse: () => failed(`did not answer within ${timeout_seconds} seconds`)
    })

/**
 * Calls the HTTP API of a vendor and reads its JSON answer. Ignores unknown fields and returns numbers as text. Repeats
 * no call. Errors and traces do not show the address, because it may hold a secret.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly vendor: string
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** The environment variable of the credential, for error messages. */
  readonly credential: string
  readonly prepare: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
}) {
  const client = yield* HttpClient.HttpClient
  const failed = failure(options.vendor, options.secrets)

  const ask = Effect.fnUntraced(
    function* <A>(schema: Schema.ConstraintDecoder<A>, request: HttpClientRequest.HttpClientRequest) {
      const { status, text } = yield* client.execute(options.prepare(request)).pipe(
        Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
        Effect.mapError(({ cause, reason }) =>
          failed(`could not be reached: ${connectionFailure(cause) ?? reason._tag}`)
        ),
        inTime(failed)
      )
      if (isAccessRefused(status)) return yield* failed(accessRefused(status, options.credential))
      if (status < 200 || status > 299) return yield* failed(`answered HTTP ${status}: ${text}`)
      return yield* LosslessJson.parse(text).pipe(
        Effect.flatMap(Schema.decodeUnknownEffect(schema)),
        Effect.mapError(() => failed(`answered HTTP ${status} with an unexpected body`))
      )
    },
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
  return { ask, failed }
})
