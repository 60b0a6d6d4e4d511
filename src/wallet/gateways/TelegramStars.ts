import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { timingSafeEqual } from "node:crypto"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { Text } from "../../platform/fields/Text.ts"
import type { TelegramSettings } from "../GatewaySettings.ts"
import { CallbackRefused } from "../PaymentErrors.ts"
import { irrelevant, type PaymentEvent, type PaymentGateway, type RawCallback } from "./PaymentGateway.ts"
import { type PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import { titleOf } from "./PaymentTitle.ts"
import * as AskVendor from "./AskVendor.ts"

const secretHeader = "x-telegram-bot-api-secret-token"
/** Telegram's limit of the message to a customer, in characters. */
const refusalLength = 200

const Link = Schema.Struct({ ok: Schema.Literal(true), result: Schema.String })
const Done = Schema.Struct({ ok: Schema.Literal(true) })

const Stars = Schema.Struct({ currency: Schema.String, total_amount: Schema.Int, invoice_payload: Schema.String })
const PreCheckoutQuery = Schema.Struct({ id: Schema.String, ...Stars.fields })
const SuccessfulPayment = Schema.Struct({ telegram_payment_charge_id: Text(1, 255), ...Stars.fields })

/** The parts of an update that concern payments. */
const Update = Schema.fromJsonString(
  Schema.Struct({
    pre_checkout_query: Schema.optional(PreCheckoutQuery),
    message: Schema.optional(
      Schema.Struct({
        from: Schema.optional(Schema.Struct({ id: Schema.Int })),
        successful_payment: Schema.optional(SuccessfulPayment)
      })
    )
  })
)
type Update = typeof Update.Type

const digest = (text: string) => Buffer.from(Secrets.digest(text))

/** The amount and the intent of a payment; undefined for other payments of the bot. */
const starsOf = ({ currency, invoice_payload, total_amount }: typeof Stars.Type) => {
  const payment_intent_id = Option.getOrUndefined(Schema.decodeUnknownOption(PaymentIntentId)(invoice_payload))
  if (currency !== "XTR" || payment_intent_id === undefined) return undefined
  return { payment_intent_id, currency: "STAR" as const, amount: BigInt(total_amount) }
}

/** Payments in stars through a Telegram bot (core.telegram.org/bots/payments-stars). */
export const make = Effect.fnUntraced(function* (settings: TelegramSettings) {
  const { base_url } = yield* Addresses
  const brand = yield* Brand
  const webhook_url = Option.getOrElse(settings.webhook_url, () => `${base_url}/payments/callbacks/messenger_stars`)
  const { ask, failed } = yield* AskVendor.make({
    vendor: "Telegram",
    secrets: [settings.bot_token, settings.webhook_secret],
    credential: "TELEGRAM_BOT_TOKEN",
    prepare: HttpClientRequest.prependUrl(`${settings.api_url}/bot${Redacted.value(settings.bot_token)}`)
  })
  const call = <A>(method: string, answer: Schema.ConstraintDecoder<A>, parameters: object) =>
    ask(answer, HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`/${method}`), parameters))

  const createIntent = Effect.fn("TelegramStars.createIntent")(function* (intent: PaymentIntent) {
    const title = titleOf(brand, intent)
    const { result: payment_url } = yield* call("createInvoiceLink", Link, {
      title,
      description: `${title}, ${intent.amount} stars`,
      payload: intent.id,
      provider_token: "",
      currency: "XTR",
      prices: [{ label: title, amount: Number(intent.amount) }]
    })
    return { payment_url, external_reference: intent.id }
  })

  const answer = (query: string) => (refusal: string | null) =>
    Effect.asVoid(
      call("answerPreCheckoutQuery", Done, {
        pre_checkout_query_id: query,
        ok: refusal === null,
        ...(refusal === null ? {} : { error_message: refusal.slice(0, refusalLength) })
      })
    )

  const eventsOf = ({ message, pre_checkout_query: query }: Update): ReadonlyArray<PaymentEvent> => {
    const paid = message?.successful_payment
    const stars = query ?? paid
    const payment = stars && starsOf(stars)
    if (payment !== undefined && query !== undefined)
      return [{ _tag: "Checkout", ...payment, answer: answer(query.id) }]
    if (payment === undefined || paid === undefined) return irrelevant
    const payer = message?.from === undefined ? {} : { payer: `telegram:${message.from.id}` }
    return [{ _tag: "Paid", ...payment, ...payer, charge_id: paid.telegram_payment_charge_id }]
  }

  const read = Effect.fn("TelegramStars.read")(function* ({ body }: RawCallback) {
    const update = Schema.decodeUnknownEffect(Update)(new TextDecoder().decode(body))
    return eventsOf(yield* Effect.mapError(update, () => failed("sent an update that cannot be read")))
  })

  const authenticate = (callback: RawCallback) =>
    timingSafeEqual(digest(callback.headers[secretHeader] ?? ""), digest(Redacted.value(settings.webhook_secret)))
      ? Effect.succeed(read(callback))
      : Effect.fail(new CallbackRefused())

  /** Registers the webhook address with Telegram. A repeated call changes nothing. */
  const register = Effect.fn("TelegramStars.register")(() =>
    call("setWebhook", Done, {
      url: webhook_url,
      secret_token: Redacted.value(settings.webhook_secret),
      allowed_updates: ["message", "pre_checkout_query"]
    })
  )

  const gateway: PaymentGateway = { payment_method: "messenger_stars", headers: [], createIntent, authenticate }
  return { gateway, register, webhook_url }
})
