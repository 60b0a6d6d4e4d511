import { ByteSize, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, type HttpClientRequest, HttpIncomingMessage } from "effect/http"
import { GatewayFailed } from "./PaymentGateway.ts"
import * as LosslessJson from "./LosslessJson.ts"

const patience_seconds = 8
const bodyLimit = ByteSize.kibibytes(256)
const excerptLength = 200

/** A vendor's own words, for the log: short, and without the secrets they may repeat. */
export const failure =
  (vendor: string, secrets: ReadonlyArray<Redacted.Redacted>) =>
  (what: string): GatewayFailed => {
    const shown = secrets.reduce((text, secret) => text.replaceAll(Redacted.value(secret), "***"), what)
    return new GatewayFailed({ reason: `${vendor} ${shown.replace(/\s+/g, " ").slice(0, excerptLength)}` })
  }

export const isAccessRefused = (status: number) => status === 401 || status === 403

export const accessRefused = (status: number, credential: string) =>
  `refuses access (HTTP ${status}): check ${credential}`

const connectionFaults: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its host name could not be looked up",
  ETIMEDOUT: "no answer"
}

const Coded = Schema.Struct({ code: Schema.String })

/** Why a connection failed, in words; undefined when its fault has no code. Its own message may hold the address. */
export const connectionFault = (fault: unknown): string | undefined => {
  const { code } = Option.getOrElse(Schema.decodeUnknownOption(Coded)(fault), () => ({ code: undefined }))
  return code === undefined ? undefined : (connectionFaults[code] ?? code)
}

/** Waits for a vendor as long as whoever waits for us can. */
export const inTime =
  (failed: (what: string) => GatewayFailed) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | GatewayFailed, R> =>
    Effect.timeoutOrElse(call, {
      duration: { seconds: patience_seconds },
      orElse: () => failed(`did not answer within ${patience_seconds} seconds`)
    })

/**
 * Asks a vendor's HTTP API and reads its JSON answer: fields that are not asked for are ignored, numbers come as text.
 * Nothing is asked twice, and neither an error nor a trace shows the address, which may hold a secret.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly vendor: string
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** The variable that holds what the vendor knows us by. */
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
          failed(`could not be reached: ${connectionFault(cause) ?? reason._tag}`)
        ),
        inTime(failed)
      )
      if (isAccessRefused(status)) return yield* failed(accessRefused(status, options.credential))
      if (status < 200 || status > 299) return yield* failed(`answered HTTP ${status}: ${text}`)
      return yield* LosslessJson.parse(text).pipe(
        Effect.flatMap(Schema.decodeUnknownEffect(schema)),
        Effect.mapError(() => failed(`answered HTTP ${status} with something unexpected`))
      )
    },
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
  return { ask, failed }
})
