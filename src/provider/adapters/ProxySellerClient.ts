import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { integer } from "../../platform/settings/IntegerSetting.ts"
import { required } from "../../platform/settings/MissingSetting.ts"
import type { Waiting } from "../Vendor.ts"
import { quoted, VendorFault } from "../VendorFault.ts"
import * as VendorHttp from "../VendorHttp.ts"
import * as VendorLane from "../VendorLane.ts"

export const name = "proxy-seller"

/** The vendor's limits: https://github.com/proxy-seller/user-api-nodejs, "Rate limits and the request queue". */
export const pace: VendorLane.Pace = {
  callsPerMinute: 1000,
  writeGap: Duration.seconds(1),
  moneyGap: Duration.seconds(2),
  patience: Duration.seconds(8)
}

const timeouts: VendorHttp.CallTimeouts = { free: Duration.seconds(8), money: Duration.seconds(15) }

export interface Settings {
  readonly api_url: string
  readonly api_key: Redacted.Redacted
  /** What the vendor is told that the proxies are for. */
  readonly purpose: string
  readonly markup_percent: number
  readonly pace?: VendorLane.Pace
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

/** Every answer is HTTP 200; what became of the call is in here. */
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

const fault = (outcome: VendorFault["outcome"], reason: string) => new VendorFault({ outcome, reason })

/** Insufficient funds. */
const noFunds = 16
/** What a wrong key, an address that is not allowed and too many calls are answered with, all the same. */
const noAccess = "Error api key"
/** A prolongation of the order is under way: it may be ours. */
const inProgress = 57

/** How long an answer is good that many questions need. */
const memory = Duration.seconds(2)

/** Proxy-Seller's API v2: https://docs.proxy-seller.com. Its key is a part of every address. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const lane = yield* VendorLane.make(settings.pace ?? pace)
  const send = yield* VendorHttp.make(lane, settings.timeouts ?? timeouts)
  const root = `${settings.api_url}/${encodeURIComponent(Redacted.value(settings.api_key))}`

  /** What the vendor says it did; what it does not say may have happened. */
  const dataOf = Effect.fnUntraced(function* (kind: VendorLane.CallKind, { body, status }: VendorHttp.VendorAnswer) {
    const envelope = decodeEnvelope(body)
    const said = Option.match(envelope, { onNone: () => [], onSome: ({ errors }) => errors ?? [] })
    if (status === 401 || status === 403 || said.some(({ message }) => message === noAccess)) {
      yield* Effect.logError(
        `Proxy-Seller refuses access (HTTP ${status}): check PROXY_SELLER_API_KEY, the addresses it allows, and its limit of calls`
      )
      return yield* fault("not_executed", "the vendor refuses access")
    }
    if (envelope._tag === "None")
      return yield* VendorHttp.unclear(kind, `an answer that cannot be read (HTTP ${status})`)
    const { data } = envelope.value
    if (envelope.value.status === "success") return data
    const [first] = said
    const code = Number(first?.code ?? Number.NaN)
    if (code === inProgress) return yield* fault("unknown", "the vendor is at work on the order")
    if (code === noFunds || (first === undefined && kind === "money" && hasWarning(data))) {
      yield* Effect.logError("The balance at Proxy-Seller is too low to buy")
      // A question has nothing to pay: it is answered again when there is money.
      return yield* fault(kind === "read" ? "not_executed" : "refused", "the vendor is out of service")
    }
    // A calculation that warns of the balance is one all the same.
    if (first === undefined && kind === "read" && data != null) return data
    if (first === undefined) return yield* VendorHttp.unclear(kind, quoted("error"))
    return yield* fault("refused", quoted(first.message ?? "error"))
  })

  const drops: Array<Effect.Effect<void>> = []

  /** A question whose answer is kept for a moment, until this process changes something; `fresh` asks at once. */
  const remembered = <A>(question: Effect.Effect<A, VendorFault>) =>
    question.pipe(
      Effect.cachedInvalidateWithTTL(({ _tag }) => (_tag === "Success" ? memory : Duration.zero)),
      Effect.map(([answer, drop]) => {
        drops.push(drop)
        return { answer, fresh: Effect.andThen(drop, answer) }
      })
    )

  const call = <S extends Schema.ConstraintDecoder<unknown>>(
    options: VendorHttp.Call<S>
  ): Effect.Effect<S["Type"], VendorFault> => {
    const { before, kind } = options
    const exchange = send(kind, VendorHttp.requestFor(root, options), before).pipe(
      Effect.flatMap((answer) => dataOf(kind, answer)),
      Effect.flatMap((data) => VendorHttp.decodeAs("Proxy-Seller", options, data))
    )
    return kind === "read" ? exchange : Effect.ensuring(exchange, Effect.all(drops))
  }

  /** Opens a link that the vendor gave for a proxy; only one to itself. */
  const open = Effect.fnUntraced(function* (link: string) {
    if (!URL.canParse(link) || new URL(link).origin !== new URL(settings.api_url).origin)
      return yield* fault("refused", "the vendor's link leads elsewhere")
    const { status } = yield* send("write", HttpClientRequest.get(link))
    if (status >= 400) return yield* fault("refused", `HTTP ${status}`)
  })

  return { call, open, remembered }
})
export type ProxySellerClient = Effect.Success<ReturnType<typeof make>>
