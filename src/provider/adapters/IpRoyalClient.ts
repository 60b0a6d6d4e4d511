import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { integer } from "../../platform/IntegerSetting.ts"
import type { Waiting } from "../Vendor.ts"
import { quoted, VendorFault } from "../VendorFault.ts"
import * as VendorHttp from "../VendorHttp.ts"
import * as VendorLane from "../VendorLane.ts"

export const name = "iproyal"

/** The vendor documents no limit; purchases go one at a time. */
const pace: VendorLane.Pace = {
  callsPerMinute: 300,
  writeGap: Duration.zero,
  moneyGap: Duration.zero,
  patience: Duration.seconds(8)
}

const timeouts: VendorHttp.CallTimeouts = { free: Duration.seconds(8), money: Duration.seconds(15) }

export interface Settings {
  readonly api_url: string
  readonly api_token: Redacted.Redacted
  readonly markup_percent: number
  readonly timeouts?: VendorHttp.CallTimeouts
  readonly waiting?: Waiting
}

export const Settings: Config.Config<Settings> = Config.all({
  api_url: Config.URL("IPROYAL_API_URL").pipe(
    Config.withDefault(new URL("https://apid.iproyal.com/v1/reseller")),
    Config.map((url) => url.href.replace(/\/+$/, ""))
  ),
  api_token: Config.Redacted("IPROYAL_API_TOKEN"),
  markup_percent: integer("IPROYAL_MARKUP_PERCENT", 0, 1000).pipe(Config.withDefault(30))
})

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.NonEmptyString }))

const fault = (outcome: VendorFault["outcome"], reason: string) => new VendorFault({ outcome, reason })

/** The answers to a call that the vendor documents as refusing it; others leave open what became of it. */
const refusals = new Set([400, 401, 403, 404, 422])

interface Call<S> {
  readonly kind: VendorLane.CallKind
  readonly path: string
  readonly schema: S
  readonly query?: Readonly<Record<string, string | number>>
  /** Makes it a POST. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly before?: Effect.Effect<void, VendorFault>
}

/** IPRoyal's reseller API: https://docs.iproyal.com/proxies/isp/api. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const lane = yield* VendorLane.make(pace)
  const send = yield* VendorHttp.make(lane, settings.timeouts ?? timeouts)

  const requestFor = ({ body, path, query = {} }: Omit<Call<unknown>, "kind" | "schema">) => {
    const url = `${settings.api_url}/${path}`
    const request =
      body === undefined
        ? HttpClientRequest.get(url)
        : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(url), body)
    return request.pipe(
      HttpClientRequest.setUrlParams(query),
      HttpClientRequest.acceptJson,
      HttpClientRequest.setHeader("x-access-token", Redacted.value(settings.api_token))
    )
  }

  const refusal = Effect.fnUntraced(function* ({ body, status }: VendorHttp.VendorAnswer) {
    const message = Option.match(decodeMessage(body), {
      onNone: () => `HTTP ${status}`,
      onSome: ({ message }) => message
    })
    if (status === 401 || status === 403) {
      yield* Effect.logError(`IPRoyal refuses access (HTTP ${status}): check IPROYAL_API_TOKEN`)
      return yield* fault("not_executed", "the vendor refuses access")
    }
    if (/balance|funds/i.test(message)) {
      yield* Effect.logError(`The balance at IPRoyal is too low to buy`)
      return yield* fault("refused", "the vendor is out of service")
    }
    return yield* fault("refused", quoted(message))
  })

  const exchange = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(options: Call<S>) {
    const { before, kind, path, schema } = options
    const unclear = kind === "money" ? "unknown" : "not_executed"
    const answer = yield* send(kind, requestFor(options), before)
    if (kind === "read" && answer.status === 404) return Option.none<S["Type"]>()
    if (refusals.has(answer.status)) return yield* refusal(answer)
    if (answer.status < 200 || answer.status >= 300) return yield* fault(unclear, `HTTP ${answer.status}`)
    return yield* Schema.decodeUnknownEffect(schema)(answer.body).pipe(
      Effect.tapError(() => Effect.logWarning(`IPRoyal answered ${path} in another shape`)),
      Effect.mapError(() => fault(unclear, "an answer that cannot be read")),
      Effect.asSome
    )
  })

  return {
    /** Undefined when there is no such thing. */
    find: <S extends Schema.ConstraintDecoder<unknown>>(options: Omit<Call<S>, "kind">) =>
      Effect.map(exchange({ ...options, kind: "read" }), Option.getOrUndefined),
    call: <S extends Schema.ConstraintDecoder<unknown>>(options: Call<S>) =>
      Effect.flatMap(
        exchange(options),
        Option.match({
          onNone: () => Effect.fail(fault("not_executed", "there is no such thing at the vendor")),
          onSome: Effect.succeed
        })
      )
  }
})
export type IpRoyalClient = Effect.Success<ReturnType<typeof make>>
