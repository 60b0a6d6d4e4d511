import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { integer } from "../../platform/settings/IntegerSetting.ts"
import { required } from "../../platform/settings/MissingSetting.ts"
import type { Waiting } from "../vendors/Vendor.ts"
import { accessRefused, quoted, VendorFailure } from "../vendors/VendorFailure.ts"
import * as VendorHttp from "../vendors/VendorHttp.ts"
import * as PaceVendorCalls from "../vendors/PaceVendorCalls.ts"

export const name = "iproyal"

/** Our own limit: the vendor documents none. Purchases run one at a time. */
const pace: PaceVendorCalls.Pace = {
  callsPerMinute: 300,
  writeGap: Duration.zero,
  moneyGap: Duration.zero,
  patience: Duration.seconds(8)
}

const timeouts: VendorHttp.CallTimeouts = { free: Duration.seconds(8), money: Duration.seconds(15) }

/** The variables `IPROYAL_*`; tests set the optional fields. */
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
  api_token: required(
    "IPROYAL_API_TOKEN",
    Config.Redacted("IPROYAL_API_TOKEN"),
    "PROVIDERS names iproyal (docs/providers.md)"
  ),
  markup_percent: integer("IPROYAL_MARKUP_PERCENT", 0, 1000).pipe(Config.withDefault(30))
})

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.NonEmptyString }))

const failure = (outcome: VendorFailure["outcome"], reason: string) => new VendorFailure({ outcome, reason })

/** The statuses that the vendor documents as a refusal. Any other status leaves the outcome unknown. */
const refusals = new Set([400, 401, 403, 404, 422])

type Decoder = Schema.ConstraintDecoder<unknown>

export interface IpRoyalClient {
  /** Reads a resource. Undefined: the vendor has none at this path. */
  readonly find: <S extends Decoder>(
    options: Omit<VendorHttp.Call<S>, "kind">
  ) => Effect.Effect<S["Type"] | undefined, VendorFailure>
  /** Makes a call whose resource must exist. */
  readonly call: <S extends Decoder>(options: VendorHttp.Call<S>) => Effect.Effect<S["Type"], VendorFailure>
}

/** Speaks IPRoyal's reseller API: https://docs.iproyal.com/proxies/isp/api. */
export const make = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<IpRoyalClient, never, HttpClient.HttpClient> {
  const lane = yield* PaceVendorCalls.make(pace)
  const send = yield* VendorHttp.make(lane, settings.timeouts ?? timeouts)

  const requestFor = (call: VendorHttp.Call<unknown>) =>
    VendorHttp.requestFor(settings.api_url, call).pipe(
      HttpClientRequest.acceptJson,
      HttpClientRequest.setHeader("x-access-token", Redacted.value(settings.api_token))
    )

  const refusal = Effect.fnUntraced(function* ({ body, status }: VendorHttp.VendorAnswer) {
    const message = Option.match(decodeMessage(body), {
      onNone: () => `HTTP ${status}`,
      onSome: ({ message }) => message
    })
    if (status === 401 || status === 403) {
      yield* Effect.logError(`Cannot use IPRoyal: it refuses access (HTTP ${status}); check IPROYAL_API_TOKEN`)
      return yield* failure("not_executed", accessRefused)
    }
    if (/balance|funds/i.test(message)) {
      yield* Effect.logError("Cannot buy at IPRoyal: the balance is too low; top it up")
      return yield* failure("refused", "the vendor is out of service")
    }
    return yield* failure("refused", quoted(message))
  })

  const exchange = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    options: VendorHttp.Call<S>
  ) {
    const { before, kind } = options
    const answer = yield* send(kind, requestFor(options), before)
    if (kind === "read" && answer.status === 404) return Option.none<S["Type"]>()
    if (refusals.has(answer.status)) return yield* refusal(answer)
    if (answer.status < 200 || answer.status >= 300) return yield* VendorHttp.unclear(kind, `HTTP ${answer.status}`)
    return Option.some(yield* VendorHttp.decodeAs("IPRoyal", options, answer.body))
  })

  return {
    find: <S extends Schema.ConstraintDecoder<unknown>>(options: Omit<VendorHttp.Call<S>, "kind">) =>
      Effect.map(exchange({ ...options, kind: "read" }), Option.getOrUndefined),
    call: <S extends Schema.ConstraintDecoder<unknown>>(options: VendorHttp.Call<S>) =>
      Effect.flatMap(
        exchange(options),
        Option.match({
          onNone: () => Effect.fail(failure("not_executed", "the vendor does not have the resource")),
          onSome: Effect.succeed
        })
      )
  }
})
