import { Config, Effect, Option, Record, Schema } from "effect"

const Secret = Schema.RedactedFromValue(Schema.Trim.check(Schema.isNonEmpty()))

/** What Telegram takes for a secret (core.telegram.org/bots/api#setwebhook). */
const TelegramSecret = Schema.RedactedFromValue(
  Schema.Trim.check(
    Schema.makeFilter((text) => /^[\w-]{1,256}$/.test(text) || "Expected 1 to 256 letters, digits, _ and -")
  )
)

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

const address = (name: string) =>
  Config.schema(
    Schema.Trim.check(
      Schema.makeFilter((text) => isWebAddress(text) || "Expected an address such as https://pay.example.com")
    ),
    name
  ).pipe(Config.map((text) => new URL(text).href.replace(/\/+$/, "")))

const secret = (name: string) => Config.schema(Secret, name)

/** All of a set, or none when nothing of it is there: half a set stops the start and names what is missing. */
const whole = Effect.fnUntraced(function* <const Fields extends Record<string, Config.Config<unknown>>>(
  fields: Fields,
  isNeeded = false
) {
  const given = yield* Effect.all(Record.values(fields).map(Config.option))
  return isNeeded || given.some(Option.isSome) ? Option.some(yield* Config.all(fields)) : Option.none()
})

const stripe = Effect.gen(function* () {
  const api_url = yield* address("STRIPE_API_URL").pipe(Config.withDefault("https://api.stripe.com"))
  const set = yield* whole({
    secret_key: secret("STRIPE_SECRET_KEY"),
    webhook_secret: secret("STRIPE_WEBHOOK_SECRET")
  })
  return Option.map(set, (set) => ({ ...set, api_url }))
})
export type StripeSettings = Option.Option.Value<Effect.Success<typeof stripe>>

const btcpay = (isNeeded: boolean) =>
  whole(
    {
      url: address("BTCPAY_URL"),
      store_id: Config.NonEmptyString("BTCPAY_STORE_ID"),
      api_key: secret("BTCPAY_API_KEY"),
      webhook_secret: secret("BTCPAY_WEBHOOK_SECRET")
    },
    isNeeded
  )
export type BtcpaySettings = Option.Option.Value<Effect.Success<ReturnType<typeof btcpay>>>

const nowPayments = Effect.fnUntraced(function* (isNeeded: boolean) {
  const url = yield* address("NOWPAYMENTS_URL").pipe(Config.withDefault("https://api.nowpayments.io"))
  const set = yield* whole(
    { api_key: secret("NOWPAYMENTS_API_KEY"), ipn_secret: secret("NOWPAYMENTS_IPN_SECRET") },
    isNeeded
  )
  return Option.map(set, (set) => ({ ...set, url }))
})
export type NowPaymentsSettings = Option.Option.Value<Effect.Success<ReturnType<typeof nowPayments>>>

/** `CRYPTO_GATEWAY` chooses where both are configured; the one it names has to be. */
const crypto = Effect.gen(function* () {
  const choice = Config.Literals(["btcpay", "nowpayments"], "CRYPTO_GATEWAY")
  const chosen = Option.getOrUndefined(yield* Config.option(choice))
  const own = yield* btcpay(chosen === "btcpay")
  const hosted = yield* nowPayments(chosen === "nowpayments")
  const vendor = Option.isSome(own) && Option.isSome(hosted) ? yield* choice : undefined
  return {
    btcpay: vendor === "nowpayments" ? Option.none() : own,
    nowPayments: vendor === "btcpay" ? Option.none() : hosted
  }
})

const telegram = Effect.gen(function* () {
  const api_url = yield* address("TELEGRAM_API_URL").pipe(Config.withDefault("https://api.telegram.org"))
  const webhook_url = yield* Config.option(address("TELEGRAM_WEBHOOK_URL"))
  const set = yield* whole({
    bot_token: secret("TELEGRAM_BOT_TOKEN"),
    webhook_secret: Config.schema(TelegramSecret, "TELEGRAM_WEBHOOK_SECRET")
  })
  return Option.map(set, (set) => ({ ...set, api_url, webhook_url }))
})
export type TelegramSettings = Option.Option.Value<Effect.Success<typeof telegram>>

/** The gateways that are configured, of which there is at most one for each payment method. */
export const load = Effect.gen(function* () {
  return { stripe: yield* stripe, ...(yield* crypto), telegram: yield* telegram }
})
