import { Config, Duration, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { integer } from "../../platform/IntegerSetting.ts"
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
  api_key: Config.Redacted("PROXY_SELLER_API_KEY"),
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
/** A prolongation of the order is under way: it may be ours. */
const inProgress = 57

interface Call<S> {
  readonly kind: VendorLane.CallKind
  readonly path: string
  readonly schema: S
  readonly query?: Readonly<Record<string, string | number>>
  /** Makes it a POST, or the method that is named. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly method?: "POST" | "DELETE"
  readonly before?: Effect.Effect<void, VendorFault>
}

/** Proxy-Seller's API v2: https://docs.proxy-seller.com. Its key is a part of every address. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const lane = yield* VendorLane.make(settings.pace ?? pace)
  const send = yield* VendorHttp.make(lane, settings.timeouts ?? timeouts)
  const root = `${settings.api_url}/${encodeURIComponent(Redacted.value(settings.api_key))}`

  const requestFor = ({ body, method, path, query = {} }: Omit<Call<unknown>, "kind" | "schema">) => {
    const url = `${root}/${path}`
    const request =
      body === undefined
        ? HttpClientRequest.get(url)
        : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.make(method ?? "POST")(url), body)
    return HttpClientRequest.setUrlParams(request, query)
  }

  /** What the vendor says it did; what it does not say may have happened. */
  const dataOf = Effect.fnUntraced(function* (kind: VendorLane.CallKind, { body, status }: VendorHttp.VendorAnswer) {
    const unclear = kind === "money" ? "unknown" : "not_executed"
    const envelope = decodeEnvelope(body)
    if (envelope._tag === "None") return yield* fault(unclear, `an answer that cannot be read (HTTP ${status})`)
    const { data, errors } = envelope.value
    if (envelope.value.status === "success") return data
    const all = errors ?? []
    const [first] = all
    const code = Number(first?.code ?? Number.NaN)
    // One fixed triple stands for a wrong key, an address that is not allowed and too many calls.
    if (all.some(({ message }) => message === "Error api key")) {
      yield* Effect.logError(
        "Proxy-Seller refuses access: a wrong key, an address it does not allow, or too many calls"
      )
      return yield* fault("not_executed", "the vendor refuses access")
    }
    if (code === inProgress) return yield* fault("unknown", "the vendor is at work on the order")
    if (code === noFunds || (first === undefined && kind === "money" && hasWarning(data))) {
      yield* Effect.logError("The balance at Proxy-Seller is too low to buy")
      return yield* fault("refused", "the vendor is out of service")
    }
    // A calculation that warns of the balance is one all the same.
    if (first === undefined && kind === "read" && data != null) return data
    return yield* fault(first === undefined ? unclear : "refused", quoted(first?.message ?? "error"))
  })

  const call = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
    options: Call<S>
  ): Effect.fn.Return<S["Type"], VendorFault> {
    const { before, kind, schema } = options
    const data = yield* dataOf(kind, yield* send(kind, requestFor(options), before))
    return yield* Schema.decodeUnknownEffect(schema)(data).pipe(
      Effect.tapError(() => Effect.logWarning(`Proxy-Seller answered ${options.path} in another shape`)),
      Effect.mapError(() => fault(kind === "money" ? "unknown" : "not_executed", "an answer that cannot be read"))
    )
  })

  /** Opens a link that the vendor gave for a proxy; only one to itself. */
  const open = Effect.fnUntraced(function* (link: string) {
    if (!URL.canParse(link) || new URL(link).origin !== new URL(settings.api_url).origin)
      return yield* fault("refused", "the vendor's link leads elsewhere")
    const { status } = yield* send("write", HttpClientRequest.get(link))
    if (status >= 400) return yield* fault("refused", `HTTP ${status}`)
  })

  return { call, open }
})
export type ProxySellerClient = Effect.Success<ReturnType<typeof make>>
