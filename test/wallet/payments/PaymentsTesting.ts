import { NodeCrypto } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer } from "effect"
import type { PaymentEvent, RawCallback } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { PaymentCallbacksRepo } from "../../../src/wallet/payments/PaymentCallbacksRepo.ts"
import { PaymentReversals } from "../../../src/wallet/payments/PaymentReversals.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentSettlement } from "../../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../../src/wallet/payments/PaymentsRepo.ts"
import { SandboxPayments } from "../../../src/wallet/payments/SandboxPayments.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../../src/wallet/WalletTransactions.ts"
import { PaymentFulfilment } from "../../../src/wallet/payments/PaymentFulfilment.ts"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

export const dollar = 1_000_000n

/** Payments with gateways in memory; stars have no gateway. */
export const servicesWith = (settings: Record<string, string>) =>
  Layer.mergeAll(
    Deposits.layer,
    Payments.layer,
    SandboxPayments.layer,
    WalletTransactions.layer,
    PaymentsRepo.layer,
    PaymentSettlement.layer,
    PaymentCallbacksRepo.layer,
    PaymentReversals.layer
  ).pipe(
    Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer]),
    Layer.provideMerge(MemoryPaymentGateways.layerOf(["card_gateway", "crypto_gateway"])),
    Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings)))
  )

export const services = servicesWith({})

/** A pending deposit of 25 dollars. */
export const deposited = Effect.gen(function* () {
  const deposits = yield* Deposits
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const transactions = yield* WalletTransactions
  const wallets = yield* Wallets
  const user = yield* Fixtures.newUser
  const deposit = yield* deposits.create(user, {
    amount: 25n * dollar,
    currency: "USD",
    payment_method: "card_gateway"
  })
  const intent = deposit.payment_intent_id
  const receive = (callback: RawCallback) => payments.receive("card_gateway", callback)

  return {
    id: deposit.id,
    user,
    deposit,
    /** Reports the deposit as paid, with the requested or another amount. */
    pay: (change: Partial<Omit<Extract<PaymentEvent, { _tag: "Paid" }>, "_tag">> = {}) =>
      Effect.suspend(() => receive(gateways.pay(intent, change))),
    decline: Effect.suspend(() => receive(gateways.decline(intent))),
    /** Makes the call of `pay` without the gateway's signature, and stores it as the server does. */
    forge: Effect.suspend(() => {
      const forged = { ...gateways.pay(intent), headers: { "x-memory-signature": "forged" } }
      return Effect.tapErrorTag(receive(forged), "CallbackRefused", () => payments.noteRefused("card_gateway", forged))
    }),
    status: Effect.map(deposits.get(user, deposit.id), ({ status }) => status),
    balance: Effect.map(wallets.balance(user, "USD"), ({ balance }) => balance),
    entries: Effect.map(transactions.list(user, { currency: "USD" }, { limit: 100, offset: 0 }), (listed) =>
      listed.map(({ amount, external_id, status }) => [status, amount, external_id])
    )
  }
})
