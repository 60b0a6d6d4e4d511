import { Config, Effect, Option, Schema } from "effect"
import { missing } from "../platform/settings/MissingSetting.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"

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

/** The variables that a gateway needs. */
const required = {
  stripe: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  btcpay: ["BTCPAY_URL", "BTCPAY_STORE_ID", "BTCPAY_API_KEY", "BTCPAY_WEBHOOK_SECRET"],
  nowPayments: ["NOWPAYMENTS_API_KEY", "NOWPAYMENTS_IPN_SECRET"],
  telegram: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"]
} as const

/** The variables of the gateways of each payment method, for a person to read. */
export const variables: Record<PaymentMethod, string> = {
  card_gateway: required.stripe.join(", "),
  crypto_gateway: `${required.btcpay.join(", ")} (or ${required.nowPayments.join(", ")})`,
  messenger_stars: required.telegram.join(", ")
}

const secret = (name: string) => Config.schema(Secret, name)

/**
 * Settings when their variables are all there, or none when none is. Half of them stops the start and names what is
 * missing, as does nothing of them when there is a `reason` to need them.
 */
const whole = Effect.fnUntraced(function* <A>(
  names: ReadonlyArray<string>,
  settings: Config.Config<A>,
  reason?: string
) {
  const given = yield* Effect.filter(names, (name) => Effect.map(Config.option(Config.String(name)), Option.isSome))
  const why = reason ?? (given[0] === undefined ? undefined : `${given[0]} is set`)
  if (why === undefined) return Option.none<A>()
  const absent = names.filter((name) => !given.includes(name))
  const needed = absent.length === 1 ? "it is needed" : "they are needed"
  if (absent.length > 0) return yield* Effect.fail(missing(absent, `${needed} because ${why} (docs/payments.md)`))
  return Option.some(yield* settings)
})

const stripe = whole(
  required.stripe,
  Config.all({
    secret_key: secret("STRIPE_SECRET_KEY"),
    webhook_secret: secret("STRIPE_WEBHOOK_SECRET"),
    api_url: address("STRIPE_API_URL").pipe(Config.withDefault("https://api.stripe.com"))
  })
)
export type StripeSettings = Option.Option.Value<Effect.Success<typeof stripe>>

const btcpay = (reason?: string) =>
  whole(
    required.btcpay,
    Config.all({
      url: address("BTCPAY_URL"),
      store_id: Config.NonEmptyString("BTCPAY_STORE_ID"),
      api_key: secret("BTCPAY_API_KEY"),
      webhook_secret: secret("BTCPAY_WEBHOOK_SECRET")
    }),
    reason
  )
export type BtcpaySettings = Option.Option.Value<Effect.Success<ReturnType<typeof btcpay>>>

const nowPayments = (reason?: string) =>
  whole(
    required.nowPayments,
    Config.all({
      api_key: secret("NOWPAYMENTS_API_KEY"),
      ipn_secret: secret("NOWPAYMENTS_IPN_SECRET"),
      url: address("NOWPAYMENTS_URL").pipe(Config.withDefault("https://api.nowpayments.io"))
    }),
    reason
  )
export type NowPaymentsSettings = Option.Option.Value<Effect.Success<ReturnType<typeof nowPayments>>>

/** `CRYPTO_GATEWAY` chooses where both are configured; the one it names has to be. */
const crypto = Effect.gen(function* () {
  const choice = Config.Literals(["btcpay", "nowpayments"], "CRYPTO_GATEWAY")
  const chosen = Option.getOrUndefined(yield* Config.option(choice))
  const reason = `CRYPTO_GATEWAY is ${chosen}`
  const own = yield* btcpay(chosen === "btcpay" ? reason : undefined)
  const hosted = yield* nowPayments(chosen === "nowpayments" ? reason : undefined)
  const vendor = Option.isSome(own) && Option.isSome(hosted) ? yield* choice : undefined
  return {
    btcpay: vendor === "nowpayments" ? Option.none() : own,
    nowPayments: vendor === "btcpay" ? Option.none() : hosted
  }
})

const telegram = whole(
  required.telegram,
  Config.all({
    bot_token: secret("TELEGRAM_BOT_TOKEN"),
    webhook_secret: Config.schema(TelegramSecret, "TELEGRAM_WEBHOOK_SECRET"),
    api_url: address("TELEGRAM_API_URL").pipe(Config.withDefault("https://api.telegram.org")),
    webhook_url: Config.option(address("TELEGRAM_WEBHOOK_URL"))
  })
)
export type TelegramSettings = Option.Option.Value<Effect.Success<typeof telegram>>

/** The gateways that are configured, of which there is at most one for each payment method. */
export const load = Effect.gen(function* () {
  return { stripe: yield* stripe, ...(yield* crypto), telegram: yield* telegram }
})
