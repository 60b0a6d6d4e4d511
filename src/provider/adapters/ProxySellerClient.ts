import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { integer } from "../../platform/settings/IntegerSetting.ts"
import { required } from "../../platform/settings/MissingSetting.ts"
import type { Waiting } from "../vendors/Vendor.ts"
import { accessRefused, quoted, VendorFailure } from "../vendors/VendorFailure.ts"
import * as VendorHttp from "../vendors/VendorHttp.ts"
import * as PaceVendorCalls from "../vendors/PaceVendorCalls.ts"

export const name = "proxy-seller"

/** The vendor's limits: https://github.com/proxy-seller/user-api-nodejs, "Rate limits and the request queue". */
export const pace: PaceVendorCalls.Pace = {
  callsPerMinute: 1000,
  writeGap: Duration.seconds(1),
  moneyGap: Duration.seconds(2),
  patience: Duration.seconds(8)
}

const timeouts: VendorHttp.CallTimeouts = { free: Duration.seconds(8), money: Duration.seconds(15) }

/** The variables `PROXY_SELLER_*`; tests set the optional fields. */
export interface Settings {
  readonly api_url: string
  readonly api_key: Redacted.Redacted
  /** The purpose of the proxies. The vendor asks for it in each order. */
  readonly purpose: string
  readonly markup_percent: number
  readonly pace?: PaceVendorCalls.Pace
  readonly timeouts?: VendorHttp.CallTimeouts
  readonly waiting?: Waiting
}

export const Settings: Config.Config<Settings> = Config.all({
  api_url: Config.URL("PROXY_SELLER_API_URL").pipe(
    Config.withDefault(new URL("https://proxy-seller.com/personal/api/v2")),
    Config.map((url) => url.href.replace(/\/+$/, ""))
  ),
  api_key: required(
    "PROXY_SELLER_API_KEY",
    Config.Redacted("PROXY_SELLER_API_KEY"),
    "PROVIDERS names proxy-seller (docs/providers.md)"
  ),
  purpose: Config.String("PROXY_SELLER_PURPOSE").pipe(Config.withDefault("other")),
  markup_percent: integer("PROXY_SELLER_MARKUP_PERCENT", 0, 1000).pipe(Config.withDefault(30))
})

/** The body of every answer. The HTTP status is always 200, so `status` and `errors` tell the outcome. */
const Envelope = Schema.Struct({
  status: Schema.String,
  data: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          message: Schema.optionalKey(Schema.NullOr(Schema.String)),
          code: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Finite, Schema.String])))
        })
      )
    )
  )
})
const Warning = Schema.Struct({ warning: Schema.NonEmptyString })

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)
const hasWarning = Schema.is(Warning)

const failure = (outcome: VendorFailure["outcome"], reason: string) => new VendorFailure({ outcome, reason })

/** The error code of insufficient funds. */
const noFunds = 16
/** The one message for a wrong key, a forbidden source address and too many calls. */
const noAccess = "Error api key"
/** The error code of an order whose prolongation is under way. That prolongation may be ours. */
const inProgress = 57

/** The time for which a remembered answer is used. */
const memory = Duration.seconds(2)

interface Remembered<A> {
  /** The remembered answer, at most two seconds old. */
  readonly answer: Effect.Effect<A, VendorFailure>
  /** Asks again. */
  readonly fresh: Effect.Effect<A, VendorFailure>
}

export interface ProxySellerClient {
  readonly call: <S extends Schema.ConstraintDecoder<unknown>>(
    options: VendorHttp.Call<S>
  ) => Effect.Effect<S["Type"], VendorFailure>
  /** Opens a link that the vendor returned for a proxy. Refuses a link to another origin. */
  readonly open: (link: string) => Effect.Effect<void, VendorFailure>
  /** Remembers the answer of a read for two seconds, or until this process changes something. */
  readonly remembered: <A>(question: Effect.Effect<A, VendorFailure>) => Effect.Effect<Remembered<A>>
}

/** Speaks Proxy-Seller's API v2: https://docs.proxy-seller.com. The key is a part of every URL. */
export const make = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<ProxySellerClient, never, HttpClient.HttpClient> {
  const lane = yield* PaceVendorCalls.make(settings.pace ?? pace)
  const send = yield* VendorHttp.make(lane, settings.timeouts ?? timeouts)
  const root = `${settings.api_url}/${encodeURIComponent(Redacted.value(settings.api_key))}`

  /** Reads the outcome of a call from its answer. When the answer does not tell the outcome, it is unknown. */
  const dataOf = Effect.fnUntraced(function* (
    kind: PaceVendorCalls.CallKind,
    { body, status }: VendorHttp.VendorAnswer
  ) {
    const envelope = decodeEnvelope(body)
    const said = Option.match(envelope, { onNone: () => [], onSome: ({ errors }) => errors ?? [] })
    if (status === 401 || status === 403 || said.some(({ message }) => message === noAccess)) {
      yield* Effect.logError(
        `Cannot use Proxy-Seller: it refuses access (HTTP ${status}); check PROXY_SELLER_API_KEY, its allowed addresses and its call limit`
      )
      return yield* failure("not_executed", accessRefused)
    }
    if (envelope._tag === "None")
      return yield* VendorHttp.unclear(kind, `an answer that cannot be read (HTTP ${status})`)
    const { data } = envelope.value
    if (envelope.value.status === "success") return data
    const [first] = said
    const code = Number(first?.code ?? Number.NaN)
    if (code === inProgress) return yield* failure("unknown", "the vendor is working on the order")
    if (code === noFunds || (first === undefined && kind === "money" && hasWarning(data))) {
      yield* Effect.logError("Cannot buy at Proxy-Seller: the balance is too low; top it up")
      // A read costs nothing, so the service can repeat it when the balance suffices.
      return yield* failure(kind === "read" ? "not_executed" : "refused", "the vendor is out of service")
    }
    // A calculation with a warning about the balance is still valid.
    if (first === undefined && kind === "read" && data != null) return data
    if (first === undefined) return yield* VendorHttp.unclear(kind, quoted("error"))
    return yield* failure("refused", quoted(first.message ?? "error"))
  })

  const drops: Array<Effect.Effect<void>> = []

  const remembered = <A>(question: Effect.Effect<A, VendorFailure>) =>
    question.pipe(
      Effect.cachedInvalidateWithTTL(({ _tag }) => (_tag === "Success" ? memory : Duration.zero)),
      Effect.map(([answer, drop]) => {
        drops.push(drop)
        return { answer, fresh: Effect.andThen(drop, answer) }
      })
    )

  const call = <S extends Schema.ConstraintDecoder<unknown>>(
    options: VendorHttp.Call<S>
  ): Effect.Effect<S["Type"], VendorFailure> => {
    const { before, kind } = options
    const exchange = send(kind, VendorHttp.requestFor(root, options), before).pipe(
      Effect.flatMap((answer) => dataOf(kind, answer)),
      Effect.flatMap((data) => VendorHttp.decodeAs("Proxy-Seller", options, data))
    )
    return kind === "read" ? exchange : Effect.ensuring(exchange, Effect.all(drops))
  }

  const open = Effect.fnUntraced(function* (link: string) {
    if (!URL.canParse(link) || new URL(link).origin !== new URL(settings.api_url).origin)
      return yield* failure("refused", "the vendor's link leads to another origin")
    const { status } = yield* send("write", HttpClientRequest.get(link))
    if (status >= 400) return yield* failure("refused", `HTTP ${status}`)
  })

  return { call, open, remembered }
})
