import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { OrderId } from "../../../src/orders/Order.ts"
import { OrderRefundId, type RefundRequest } from "../../../src/orders/refunds/OrderRefund.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import { OrderRefundsRepo } from "../../../src/orders/refunds/OrderRefundsRepo.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { GatewayRefunds } from "../../../src/wallet/refunds/GatewayRefunds.ts"
import { GatewayRefundsRepo } from "../../../src/wallet/refunds/GatewayRefundsRepo.ts"
import { Returns } from "../../../src/wallet/Returns.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import * as ProxyChangeTesting from "../changes/ProxyChangeTesting.ts"

export const layer = Layer.mergeAll(
  Adjustments.layer,
  Deposits.layer,
  GatewayRefunds.layer,
  GatewayRefundsRepo.layer,
  OrderRefunds.layer,
  OrderRefundsRepo.layer,
  Returns.layer
).pipe(Layer.provideMerge(ProxyChangeTesting.layer))

/** A request for a refund of an order. */
export const asked = (order_id: OrderId, change: Partial<RefundRequest> = {}): RefundRequest => ({
  id: OrderRefundId.make(randomUUID()),
  order_id,
  kind: "amount",
  destination: "wallet",
  ends_service: false,
  reason_code: "faulty",
  reason: "The proxy did not work",
  customer_text: null,
  ...change
})

/** Pays 25 dollars by card. */
export const paidByCard = Effect.fnUntraced(function* (caller: ReturnType<typeof OrderTesting.session>) {
  const gateways = yield* MemoryPaymentGateways
  const { payment_intent_id } = yield* Deposits.use((deposits) =>
    deposits.create(caller.user_id, { amount: 25_000_000n, currency: "USD", payment_method: "card_gateway" })
  )
  yield* Payments.use((payments) => payments.receive("card_gateway", gateways.pay(payment_intent_id)))
  return { caller, user: caller.user_id, intent: payment_intent_id as string }
})

/** A buyer whose money came by card: the charge is 25 dollars. */
export const cardBuyer = Effect.flatMap(OrderTesting.buyer(0n), paidByCard)

/** The ledger of an account, oldest first, and checks that it proves itself. */
export const ledger = Effect.fnUntraced(function* (user: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ type: string; cause: string | null; amount: bigint; before: bigint; after: bigint }>`
    SELECT transaction_type AS type, cause, amount, balance_before AS before, balance_after AS after
    FROM wallet_transaction WHERE user_id = ${user} AND currency = 'USD' AND status = 'completed' ORDER BY seq
  `
  let balance = 0n
  for (const { after, amount, before } of rows) {
    if (before !== balance || after !== before + amount || after < 0n) throw new Error("the chain is broken")
    balance = after
  }
  return { balance, entries: rows.map(({ amount, cause, type }) => `${cause ?? type} ${amount}`) }
})
