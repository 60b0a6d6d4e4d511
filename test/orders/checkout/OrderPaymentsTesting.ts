import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { PaymentCallbacksRepo } from "../../../src/wallet/payments/PaymentCallbacksRepo.ts"
import type { RawCallback } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentSettlement } from "../../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../../src/wallet/payments/PaymentsRepo.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { SandboxPayments } from "../../../src/wallet/payments/SandboxPayments.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../../src/wallet/WalletTransactions.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as Testing from "../../support/OrderTesting.ts"

/** The order domain, and the services of the job that ends unpaid payments. */
export const layer = Layer.mergeAll(
  Deposits.layer,
  SandboxPayments.layer,
  PaymentSettlement.layer,
  PaymentsRepo.layer,
  PaymentCallbacksRepo.layer,
  PromoCodeRegistry.layer,
  WalletTransactions.layer
).pipe(Layer.provideMerge(Testing.layer), Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))))

type Change = Parameters<MemoryPaymentGateways["Service"]["pay"]>[1]

/** Orders of a user without money that wait for a payment from outside; 1.50 USD each by default. */
export const waiting = Effect.fnUntraced(function* (fields: object = {}, key?: string) {
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const placement = yield* OrderPlacement
  const sql = yield* SqlClient.SqlClient
  const transactions = yield* WalletTransactions
  const wallets = yield* Wallets
  const caller = yield* Testing.buyer(0n)
  const request = yield* Testing.request({ payment_method: "card_gateway", ...fields })
  const method = request.payment_method === "wallet" ? "card_gateway" : request.payment_method
  const currency = method === "messenger_stars" ? "STAR" : "USD"
  const { orders: answered } = yield* placement.place(caller, request, key)
  const intent = answered[0]?.payment_info.payment_intent_id ?? ""
  const ids = answered.map(({ id }) => OrderId.make(id))
  const receive = (callback: RawCallback) => payments.receive(method, callback)
  const orders = Effect.forEach(ids, (id) => Orders.use((orders) => orders.get(caller.user_id, id)))

  return {
    caller,
    request,
    answered,
    intent,
    ids,
    orders,
    /** Reports the payment as paid, with the requested values or with `change`. */
    pay: (change?: Change) => Effect.suspend(() => receive(gateways.pay(intent, change))),
    decline: Effect.suspend(() => receive(gateways.decline(intent))),
    /** The same call as `pay`, with a forged signature. */
    forge: Effect.suspend(() => receive({ ...gateways.pay(intent), headers: { "x-memory-signature": "forged" } })),
    statuses: Effect.map(orders, (orders) => orders.map(({ status }) => status)),
    paymentStatus: Effect.map(
      sql<{ status: string }>`SELECT status FROM payment_intent WHERE id = ${intent}`,
      ([row]) => row?.status
    ),
    balance: Effect.map(wallets.balance(caller.user_id, currency), ({ balance }) => balance),
    /** Oldest first. */
    entries: Effect.map(transactions.list(caller.user_id, { currency }, { limit: 100, offset: 0 }), (listed) =>
      listed.map(({ amount, status, transaction_type }) => `${transaction_type} ${amount} ${status}`).toSorted()
    ),
    notices: Effect.map(
      sql<{ kind: string }>`SELECT kind FROM notification WHERE user_id = ${caller.user_id} ORDER BY id`,
      (rows) => rows.map(({ kind }) => kind)
    ),
    messages: Effect.map(
      sql<{ message: string }>`SELECT message FROM notification WHERE user_id = ${caller.user_id} ORDER BY id`,
      (rows) => rows.map(({ message }) => message)
    )
  }
})
