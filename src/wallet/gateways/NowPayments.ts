import { Effect, Option, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { HttpClientRequest } from "effect/http"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Money from "../../platform/Money.ts"
import type { NowPaymentsSettings } from "../GatewaySettings.ts"
import { CallbackRefused } from "../PaymentErrors.ts"
import { irrelevant, type PaymentGateway, type RawCallback } from "./PaymentGateway.ts"
import { type PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import * as LosslessJson from "./LosslessJson.ts"
import { eventsOf, isBehind, NowPaymentsPayment } from "./NowPaymentsPayment.ts"
import { titleOf } from "./PaymentTitle.ts"
import { returnPage } from "./ReturnPage.ts"
import { isGenuine } from "./Signature.ts"
import * as AskVendor from "./AskVendor.ts"

const signatureHeader = "x-nowpayments-sig"
const signatureShape = /^[0-9a-f]{128}$/i

const Created = Schema.Struct({ id: Schema.String, invoice_url: Schema.String })

/** The body of a call. The adapter does not rely on it: it reads the payment from NOWPayments, with our own API key. */
const Call = Schema.Struct({ payment_id: Schema.String, payment_status: Schema.String })

/**
 * Crypto payments through NOWPayments (documenter.getpostman.com/view/7907941/2s93JusNJt). Its payments can be listed
 * only with the operator's password, so the service cannot look up a payment whose call was lost; the operator sends
 * the call again.
 */
export const make = Effect.fnUntraced(function* (settings: NowPaymentsSettings) {
  const { app_url, base_url } = yield* Addresses
  const brand = yield* Brand
  const mac = yield* Mac.Mac
  const { ask, failed } = yield* AskVendor.make({
    vendor: "NOWPayments",
    secrets: [settings.api_key, settings.ipn_secret],
    credential: "NOWPAYMENTS_API_KEY",
    prepare: HttpClientRequest.setHeader("x-api-key", Redacted.value(settings.api_key))
  })

  const createIntent = Effect.fn("NowPayments.createIntent")(function* (intent: PaymentIntent) {
    const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${settings.url}/v1/invoice`), {
      price_amount: Money.toNumber(intent.currency, intent.amount),
      price_currency: "usd",
      order_id: intent.id,
      order_description: titleOf(brand, intent),
      ipn_callback_url: `${base_url}/payments/callbacks/crypto_gateway`,
      success_url: returnPage(app_url, intent),
      cancel_url: returnPage(app_url, intent)
    })
    const { id, invoice_url } = yield* ask(Created, request)
    return { payment_url: invoice_url, external_reference: id }
  })

  const payment = (id: string) =>
    ask(NowPaymentsPayment, HttpClientRequest.get(`${settings.url}/v1/payment/${encodeURIComponent(id)}`))

  const signed = Effect.fnUntraced(function* ({ body, headers }: RawCallback) {
    const signature = headers[signatureHeader] ?? ""
    if (!signatureShape.test(signature)) return yield* new CallbackRefused()
    const text = new TextDecoder().decode(body)
    const canonical = yield* Effect.mapError(LosslessJson.canonical(text), () => new CallbackRefused())
    if (!(yield* isGenuine(Mac.hmacSha512, settings.ipn_secret, signature, canonical)))
      return yield* new CallbackRefused()
    return text
  })

  const read = Effect.fn("NowPayments.read")(function* (text: string) {
    const call = yield* LosslessJson.parse(text).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Call)),
      Effect.mapError(() => failed(AskVendor.unreadableCall))
    )
    const paid = yield* payment(call.payment_id)
    if (isBehind(call, paid)) return yield* failed(`does not confirm the call about payment ${paid.payment_id} yet`)
    const parent = paid.parent_payment_id ?? paid.payment_id
    const requested = parent === paid.payment_id ? paid : yield* payment(parent)
    const intent = Schema.decodeUnknownOption(PaymentIntentId)(requested.order_id)
    if (Option.isNone(intent)) return irrelevant
    return (
      eventsOf(intent.value, requested, paid) ??
      (yield* failed(`gives no dollar value for payment ${paid.payment_id}; credit it by hand`))
    )
  })

  const gateway: PaymentGateway = {
    payment_method: "crypto_gateway",
    headers: [signatureHeader],
    createIntent,
    authenticate: (callback) => Effect.map(Effect.provideService(signed(callback), Mac.Mac, mac), read)
  }
  return gateway
})
