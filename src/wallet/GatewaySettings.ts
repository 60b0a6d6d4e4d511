import { Config, Effect, Option, type Redacted, Schema } from "effect"
import { missing } from "../platform/settings/MissingSetting.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"

const Secret = Schema.RedactedFromValue(Schema.Trim.check(Schema.isNonEmpty()))

/** A secret in the form that Telegram accepts (core.telegram.org/bots/api#setwebhook). */
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

/** The environment variables that each gateway needs. */
const required = {
  stripe: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  btcpay: ["BTCPAY_URL", "BTCPAY_STORE_ID", "BTCPAY_API_KEY", "BTCPAY_WEBHOOK_SECRET"],
  nowPayments: ["NOWPAYMENTS_API_KEY", "NOWPAYMENTS_IPN_SECRET"],
  telegram: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"]
} as const

/** Lists the environment variables of each payment method's gateways, for messages. */
export const variables: Record<PaymentMethod, string> = {
  card_gateway: required.stripe.join(", "),
  crypto_gateway: `${required.btcpay.join(", ")} (or ${required.nowPayments.join(", ")})`,
  messenger_stars: required.telegram.join(", ")
}

const secret = (name: string) => Config.schema(Secret, name)

/**
 * Returns the settings when all their variables are set, or none when no variable is set. When only some are set, the
 * start stops with a message that names the missing ones. With a `reason`, the settings are required.
 */
const allOrNone = Effect.fnUntraced(function* <A>(
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

export interface StripeSettings {
  readonly secret_key: Redacted.Redacted
  readonly webhook_secret: Redacted.Redacted
  readonly api_url: string
}

const stripe = allOrNone(
  required.stripe,
  Config.all({
    secret_key: secret("STRIPE_SECRET_KEY"),
    webhook_secret: secret("STRIPE_WEBHOOK_SECRET"),
    api_url: address("STRIPE_API_URL").pipe(Config.withDefault("https://api.stripe.com"))
  })
)

export interface BtcpaySettings {
  readonly url: string
  readonly store_id: string
  readonly api_key: Redacted.Redacted
  readonly webhook_secret: Redacted.Redacted
}

const btcpay = (reason?: string) =>
  allOrNone(
    required.btcpay,
    Config.all({
      url: address("BTCPAY_URL"),
      store_id: Config.NonEmptyString("BTCPAY_STORE_ID"),
      api_key: secret("BTCPAY_API_KEY"),
      webhook_secret: secret("BTCPAY_WEBHOOK_SECRET")
    }),
    reason
  )

export interface NowPaymentsSettings {
  readonly api_key: Redacted.Redacted
  readonly ipn_secret: Redacted.Redacted
  readonly url: string
}

const nowPayments = (reason?: string) =>
  allOrNone(
    required.nowPayments,
    Config.all({
      api_key: secret("NOWPAYMENTS_API_KEY"),
      ipn_secret: secret("NOWPAYMENTS_IPN_SECRET"),
      url: address("NOWPAYMENTS_URL").pipe(Config.withDefault("https://api.nowpayments.io"))
    }),
    reason
  )

/** `CRYPTO_GATEWAY` chooses when both are configured. The gateway that it names must be configured. */
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

export interface TelegramSettings {
  readonly bot_token: Redacted.Redacted
  readonly webhook_secret: Redacted.Redacted
  readonly api_url: string
  readonly webhook_url: Option.Option<string>
}

const telegram = allOrNone(
  required.telegram,
  Config.all({
    bot_token: secret("TELEGRAM_BOT_TOKEN"),
    webhook_secret: Config.schema(TelegramSecret, "TELEGRAM_WEBHOOK_SECRET"),
    api_url: address("TELEGRAM_API_URL").pipe(Config.withDefault("https://api.telegram.org")),
    webhook_url: Config.option(address("TELEGRAM_WEBHOOK_URL"))
  })
)

/** Loads the settings of the configured gateways: at most one for each payment method. */
export const load = Effect.gen(function* () {
  return { stripe: yield* stripe, ...(yield* crypto), telegram: yield* telegram }
})
