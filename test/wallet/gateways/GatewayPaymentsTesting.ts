import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { currencyOf, type PaymentMethod } from "../../../src/wallet/PaymentMethod.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { PaymentFulfilment } from "../../../src/wallet/payments/PaymentFulfilment.ts"
import type { RawCallback } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { PaymentGateways } from "../../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import * as Btcpay from "./BtcpayTesting.ts"
import * as NowPayments from "./NowPaymentsTesting.ts"
import * as Stripe from "./StripeTesting.ts"
import * as Telegram from "./TelegramTesting.ts"
import * as VendorServer from "./VendorServer.ts"

interface Charge {
  readonly id: string
  /** In whole dollars or stars. */
  readonly amount: number
}

/** The behavior of a gateway's vendor. */
export interface Vendor {
  readonly method: PaymentMethod
  readonly settings: (url: string) => Record<string, string>
  /** Accepts the requests of the adapter. */
  readonly open: (server: VendorServer.VendorServer) => void
  /** The call that reports a charge of 25 dollars or stars, or of another amount. */
  readonly pay: (server: VendorServer.VendorServer, intent: string, charge?: Charge) => RawCallback
}

const sessions = "/v1/checkout/sessions"
const stripe: Vendor = {
  method: "card_gateway",
  settings: (url) => ({
    STRIPE_SECRET_KEY: "sk_test",
    STRIPE_WEBHOOK_SECRET: Stripe.webhookSecret,
    STRIPE_API_URL: url
  }),
  open: (server) =>
    server.reply(`POST ${sessions}`, ({ body }) => [
      200,
      Stripe.sessionOf(new URLSearchParams(body).get("client_reference_id") ?? "")
    ]),
  pay: (_server, intent, { amount, id } = { amount: 25, id: intent }) =>
    Stripe.eventOf(
      "checkout.session.completed",
      Stripe.sessionOf(intent, { amount_total: amount * 100, payment_intent: id }),
      0
    )
}

const btcpay: Vendor = {
  method: "crypto_gateway",
  settings: (url) => ({
    BTCPAY_URL: url,
    BTCPAY_STORE_ID: Btcpay.storeId,
    BTCPAY_API_KEY: "key",
    BTCPAY_WEBHOOK_SECRET: Btcpay.webhookSecret
  }),
  open: (server) =>
    server.reply(`POST /api/v1/stores/${Btcpay.storeId}/invoices`, ({ body }) => {
      const { metadata } = JSON.parse(body)
      return [200, { id: `invoice-${metadata.orderId}`, checkoutLink: `${server.url}/i/${metadata.orderId}` }]
    }),
  pay: (server, intent, { amount, id } = { amount: 25, id: intent }) => {
    const additionalStatus = amount === 25 ? "None" : amount < 25 ? "PaidPartial" : "PaidOver"
    const status = amount < 25 ? "Expired" : "Settled"
    const payments = [{ id, value: String(amount / 50_000) }]
    const invoice = Btcpay.putInvoice(server, intent, { status, additionalStatus, payments })
    return Btcpay.webhookOf("InvoicePaymentSettled", invoice, id)
  }
}

/** The ids of NOWPayments are numbers. */
const numbers = new Map<string, number>()
const numberOf = (id: string) => {
  const number = numbers.get(id) ?? 5_000_000_000 + numbers.size
  numbers.set(id, number)
  return number
}

const nowPayments: Vendor = {
  method: "crypto_gateway",
  settings: (url) => ({
    NOWPAYMENTS_API_KEY: "key",
    NOWPAYMENTS_IPN_SECRET: NowPayments.ipnSecret,
    NOWPAYMENTS_URL: url
  }),
  open: (server) =>
    server.reply("POST /v1/invoice", ({ body }) => {
      const { order_id } = JSON.parse(body)
      return [200, { id: numberOf(`invoice ${order_id}`), invoice_url: `${server.url}/payment/?iid=${order_id}` }]
    }),
  pay: (server, intent, { amount, id } = { amount: 25, id: intent }) =>
    NowPayments.report(
      server,
      NowPayments.paymentOf(intent, {
        payment_id: numberOf(id),
        payment_status: amount < 25 ? "partially_paid" : "finished",
        actually_paid: amount / 50_000
      })
    )
}

const telegram: Vendor = {
  method: "messenger_stars",
  settings: (url) => ({
    TELEGRAM_BOT_TOKEN: Telegram.botToken,
    TELEGRAM_WEBHOOK_SECRET: Telegram.webhookSecret,
    TELEGRAM_API_URL: url
  }),
  open: (server) => {
    const bot = `POST /bot${Telegram.botToken}`
    server.reply(`${bot}/createInvoiceLink`, () => [200, { ok: true, result: "https://t.me/$invoice" }])
    server.reply(`${bot}/answerPreCheckoutQuery`, () => [200, { ok: true, result: true }])
  },
  pay: (_server, intent, { amount, id } = { amount: 25, id: intent }) =>
    Telegram.paymentUpdate(intent, { total_amount: amount, telegram_payment_charge_id: id })
}

export const vendors = { stripe, btcpay, nowPayments, telegram }

class Server extends Context.Service<Server, VendorServer.VendorServer>()("test/wallet/VendorServer") {}

/** Payments over a separate database, with one real gateway whose vendor is on the loopback interface. */
export const worldOf = (vendor: Vendor) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const server = yield* VendorServer.make
      vendor.open(server)
      return Layer.mergeAll(Deposits.layer, Payments.layer).pipe(
        Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer]),
        Layer.provide(PaymentGateways.layer),
        Layer.provideMerge([
          TestDatabase.layer,
          NodeCrypto.layer,
          NodeHttpClient.layerNodeHttp,
          Addresses.layer,
          Layer.succeed(Server, server)
        ]),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(vendor.settings(server.url))))
      )
    })
  )

/** A pending deposit of 25 dollars or stars. */
export const deposited = Effect.fnUntraced(function* (vendor: Vendor) {
  const deposits = yield* Deposits
  const payments = yield* Payments
  const server = yield* Server
  const wallets = yield* Wallets
  const user = yield* Fixtures.newUser
  const currency = currencyOf(vendor.method)
  const unit = currency === "USD" ? 1_000_000n : 1n
  const deposit = yield* deposits.create(user, { amount: 25n * unit, currency, payment_method: vendor.method })
  const intent = deposit.payment_intent_id
  return {
    intent,
    server,
    payment_url: deposit.payment_url,
    call: (charge?: Charge) => vendor.pay(server, intent, charge),
    receive: (call: RawCallback) => payments.receive(vendor.method, call),
    abandon: payments.abandon(intent),
    status: Effect.map(deposits.get(user, deposit.id), ({ status }) => status),
    /** In whole dollars or stars. */
    balance: Effect.map(wallets.balance(user, currency), ({ balance }) => Number(balance / unit))
  }
})
