import { Clock, Console, Duration, Effect, Layer, Result, Runtime } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../src/accounts/User.ts"
import { report } from "../../src/cli/Reconcile.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { Reconciliation } from "../../src/reconciliation/Reconciliation.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { newUser } from "../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import * as OrderTesting from "../support/OrderTesting.ts"
import * as OrderPaymentsTesting from "../orders/checkout/OrderPaymentsTesting.ts"

export const layer = Layer.provideMerge(Reconciliation.layer, OrderPaymentsTesting.layer)

/** Stops the clock, and skips the pauses between questions. */
const hasty = Effect.map(Clock.Clock, (clock): Clock.Clock => {
  const live = Clock.Clock.defaultValue()
  const now = clock.currentTimeMillisUnsafe()
  const nanos = clock.currentTimeNanosUnsafe()
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => (Duration.toSeconds(duration) > 1 ? live.sleep(duration) : Effect.void)
  }
})

/** The output of `reconcile`, one line a finding, and its exit. */
export const reconcile = Effect.fnUntraced(function* (json = false) {
  const lines: Array<string> = []
  const quiet = { ...(yield* Console.Console), log: (text: string) => void lines.push(text) }
  const result = yield* report({ payments: 30, json }).pipe(
    Effect.provideService(Console.Console, quiet),
    Effect.provideService(Clock.Clock, yield* hasty),
    Effect.result
  )
  const end = Result.match(result, {
    onSuccess: () => ({ code: 0, message: "" }),
    onFailure: (error) => ({ code: Runtime.getErrorExitCode(error), message: error.message })
  })
  const found = lines.filter((line) => !line.includes("\tchecked\t"))
  return { ...end, lines, found }
})

/** A credited deposit of 25 dollars that its gateway confirms as paid. */
export const deposit = Effect.fnUntraced(function* (user: UserId) {
  const gateways = yield* MemoryPaymentGateways
  const { id, payment_intent_id } = yield* Deposits.use((deposits) =>
    deposits.create(user, { amount: 25_000_000n, currency: "USD", payment_method: "card_gateway" })
  )
  gateways.payUnreported(payment_intent_id)
  yield* Payments.use((payments) => payments.receive("card_gateway", gateways.pay(payment_intent_id)))
  return { entry: id as string, intent: payment_intent_id as string }
})

/** A customer with a deposit of 25 dollars and a proxy for 1.50: the ids of the account and of its records. */
export interface Customer {
  readonly user: UserId
  /** The deposit's ledger entry. */
  readonly entry: string
  /** The deposit's payment intent. */
  readonly intent: string
  readonly order: string
  readonly wallet: string
  /** The order's ledger entry. */
  readonly payment: string
}

export const customer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user = yield* newUser
  const paid = yield* deposit(user)
  const request = yield* OrderTesting.request()
  const placed = yield* OrderPlacement.use((placement) =>
    placement.place(OrderTesting.session(user), request, undefined)
  )
  const order: string = placed.orders[0]?.id ?? ""
  const [wallet] = yield* sql<{ id: string }>`SELECT id FROM wallet WHERE user_id = ${user} AND currency = 'USD'`
  const [payment] = yield* sql<{ id: string }>`SELECT id FROM wallet_transaction WHERE order_id = ${order}`
  const made: Customer = { user, ...paid, order, wallet: wallet?.id ?? "", payment: payment?.id ?? "" }
  return made
})

/** Writes rows that the database's triggers and foreign keys would refuse. */
export const forge = Effect.fnUntraced(function* (...statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.forEach(["SET LOCAL session_replication_role = replica", ...statements], (statement) =>
      sql.unsafe(statement)
    )
  )
})
