import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OrderId } from "../../../src/orders/Order.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import type { RefundOutcome, Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { person } from "../../wallet/adjustments/MoneyTesting.ts"
import { asked } from "./RefundTesting.ts"

/** The refunds of an account at its gateway, the oldest first. */
export const rowsOf = (user: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ id: string; status: string; amount: bigint; failure: string | null }>`
      SELECT id, status, amount, failure FROM gateway_refund WHERE user_id = ${user} ORDER BY created_at, id`
  )

export const toCard = (id: OrderId, amount: bigint) => asked(id, { amount, destination: "gateway" })

/** Books and finishes a refund to the card. */
export const paidBack = Effect.fnUntraced(function* (id: OrderId, amount: bigint) {
  const refunds = yield* OrderRefunds
  const { record } = yield* refunds.create(person("finance"), toCard(id, amount))
  yield* refunds.finish(record.id)
  return record
})

/** The gateway reports a refund, as it reports one that was made in its own pages. */
export const reported = Effect.fnUntraced(function* (
  intent: string,
  charge_id: string,
  id: string,
  outcome: RefundOutcome
) {
  const gateways = yield* MemoryPaymentGateways
  const reversal: Omit<Reversed, "_tag"> = {
    charge_id,
    reversal_id: `re_${id}`,
    kind: "refund",
    status: outcome.status === "failed" ? "returned" : "taken",
    amount: 1_000_000n,
    own: { id, outcome }
  }
  return yield* Payments.use((payments) => payments.receive("card_gateway", gateways.reverse(intent, reversal)))
})

/** The gateway reports a dispute of a charge. */
export const disputed = Effect.fnUntraced(function* (
  intent: string,
  charge_id: string,
  amount: bigint | null,
  status: Reversed["status"] = "taken"
) {
  const gateways = yield* MemoryPaymentGateways
  const dispute = { charge_id, reversal_id: `dp_${intent}`, kind: "dispute", status, amount } as const
  return yield* Payments.use((payments) => payments.receive("card_gateway", gateways.reverse(intent, dispute)))
})

/** The claims of a charge, and the money that is debited for them. */
export const claimsOf = (charge_id: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ claimed: bigint; held: bigint }>`
        SELECT claimed, held FROM payment_taken_back WHERE charge_id = ${charge_id}`,
      ([row]) => [row?.claimed, row?.held]
    )
  )

export const succeeded = { status: "succeeded", gateway_refund_id: null, failure: null } as const
export const failed = { status: "failed", gateway_refund_id: null, failure: "expired_or_canceled_card" } as const
