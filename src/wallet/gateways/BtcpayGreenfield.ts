import { DateTime, Effect, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { HttpClientRequest } from "effect/http"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Money from "../../platform/Money.ts"
import type { BtcpaySettings } from "../GatewaySettings.ts"
import { CallbackRefused } from "../PaymentErrors.ts"
import { irrelevant, type PaymentGateway, type RawCallback } from "./PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { BtcpayInvoice, BtcpayPaymentMethods, eventsOf } from "./BtcpayInvoice.ts"
import * as LosslessJson from "./LosslessJson.ts"
import { titleOf } from "./PaymentTitle.ts"
import { returnPage } from "./ReturnPage.ts"
import { isGenuine } from "./Signature.ts"
import * as AskVendor from "./AskVendor.ts"

const signatureHeader = "btcpay-sig"
const scheme = "sha256="

/** The last minutes of the intent, in which the blockchain confirms a payment that was made just before. */
const confirmation_minutes = 30

const Created = Schema.Struct({ id: Schema.String, checkoutLink: Schema.String })

/** The body of a webhook. The adapter reads its facts again from the server, with our own API key. */
const Call = Schema.Struct({
  storeId: Schema.optional(Schema.String),
  invoiceId: Schema.optional(Schema.String),
  payment: Schema.optional(Schema.NullOr(Schema.Struct({ id: Schema.optional(Schema.String) })))
})

const authentic = Effect.fnUntraced(function* (settings: BtcpaySettings, { body, headers }: RawCallback) {
  const signature = headers[signatureHeader] ?? ""
  const hex = signature.slice(scheme.length)
  const isSigned = signature.startsWith(scheme)
  if (!isSigned || !(yield* isGenuine(Mac.hmacSha256, settings.webhook_secret, hex, body)))
    return yield* new CallbackRefused()
})

/** Crypto payments through the operator's own BTCPay Server (docs.btcpayserver.org/API/Greenfield/v1). */
export const make = Effect.fnUntraced(function* (settings: BtcpaySettings) {
  const { app_url } = yield* Addresses
  const brand = yield* Brand
  const mac = yield* Mac.Mac
  const secrets = [settings.api_key, settings.webhook_secret]
  const invoices = `${settings.url}/api/v1/stores/${encodeURIComponent(settings.store_id)}/invoices`
  const { ask, failed } = yield* AskVendor.make({
    vendor: "BTCPay",
    secrets,
    credential: "BTCPAY_API_KEY",
    prepare: HttpClientRequest.setHeader("authorization", `token ${Redacted.value(settings.api_key)}`)
  })

  const createIntent = Effect.fn("BtcpayGreenfield.createIntent")(function* (intent: PaymentIntent) {
    const left = DateTime.toEpochMillis(intent.expires_at) - DateTime.toEpochMillis(yield* DateTime.now)
    const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(invoices), {
      amount: Money.toDecimal(intent.currency, intent.amount),
      currency: intent.currency,
      metadata: { orderId: intent.id, paymentIntentId: intent.id, itemDesc: titleOf(brand, intent) },
      checkout: {
        expirationMinutes: Math.max(1, Math.floor(left / 60_000) - confirmation_minutes),
        redirectURL: returnPage(app_url, intent)
      }
    })
    const { checkoutLink, id } = yield* ask(Created, request)
    return { payment_url: checkoutLink, external_reference: id }
  })

  const lookUp = Effect.fnUntraced(function* (id: string, payment_id?: string) {
    const address = `${invoices}/${encodeURIComponent(id)}`
    const [invoice, methods] = yield* Effect.all(
      [
        ask(BtcpayInvoice, HttpClientRequest.get(address)),
        ask(BtcpayPaymentMethods, HttpClientRequest.get(`${address}/payment-methods`))
      ],
      { concurrency: 2 }
    )
    return (
      eventsOf(invoice, methods, payment_id) ?? (yield* failed(`gives no dollar value for a payment of invoice ${id}`))
    )
  })

  /** Keeps only payments: the end of an invoice is not final, because the blockchain still accepts payments to it. */
  const findPayment = Effect.fn("BtcpayGreenfield.findPayment")(function* ({ external_reference }: PaymentIntent) {
    if (external_reference === null) return irrelevant
    return (yield* lookUp(external_reference)).filter(({ _tag }) => _tag === "Paid")
  })

  const read = Effect.fn("BtcpayGreenfield.read")(function* ({ body }: RawCallback) {
    const call = yield* LosslessJson.parse(new TextDecoder().decode(body)).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Call)),
      Effect.mapError(() => failed(AskVendor.unreadableCall))
    )
    if (call.storeId !== settings.store_id || call.invoiceId === undefined) return irrelevant
    return yield* lookUp(call.invoiceId, call.payment?.id)
  })

  const gateway: PaymentGateway = {
    payment_method: "crypto_gateway",
    headers: [signatureHeader],
    createIntent,
    findPayment,
    authenticate: (callback) =>
      Effect.as(Effect.provideService(authentic(settings, callback), Mac.Mac, mac), read(callback))
  }
  return gateway
})
