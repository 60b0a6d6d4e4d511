import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderCancellation } from "../../../src/orders/checkout/OrderCancellation.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPaymentsRepo } from "../../../src/orders/checkout/OrderPaymentsRepo.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import * as UnpaidOrderCleanup from "../../../src/orders/checkout/UnpaidOrderCleanup.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import * as PaymentCallbackCleanup from "../../../src/wallet/payments/PaymentCallbackCleanup.ts"
import { PaymentSettlement } from "../../../src/wallet/payments/PaymentSettlement.ts"
import { NewAccountLimitsRepo } from "../../../src/wallet/payments/NewAccountLimitsRepo.ts"
import { PaymentsRepo } from "../../../src/wallet/payments/PaymentsRepo.ts"
import * as UnpaidPaymentCleanup from "../../../src/wallet/payments/UnpaidPaymentCleanup.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

const run = Effect.andThen(UnpaidOrderCleanup.run, UnpaidPaymentCleanup.run).pipe(
  Effect.provide([NewAccountLimitsRepo.layer, OrderPaymentsRepo.layer, PaymentsRepo.layer])
)

layer(services)("Orders that are never paid", (it) => {
  it.effect("are at most 500 a day for an account that orders and cancels without paying", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const placement = yield* OrderPlacement
      const sql = yield* SqlClient.SqlClient
      const caller = yield* Testing.buyer(100_000_000n)
      const place = Effect.fnUntraced(function* (
        quantity: number,
        fields: object = { payment_method: "card_gateway" }
      ) {
        return yield* placement.place(caller, yield* Testing.request({ ...fields, quantity }), undefined)
      })
      const giveUp = Effect.fnUntraced(function* (quantity: number) {
        const { orders } = yield* place(quantity)
        yield* cancel(caller.user_id, OrderId.make(orders[0]?.id ?? ""))
      })
      for (let times = 0; times < 4; times++) yield* giveUp(100)
      const burst = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.exit(giveUp(50))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(burst.filter(({ _tag }) => _tag === "Success").length, 2)
      const refused = yield* Effect.flip(place(1))
      assert.deepInclude(refused, { _tag: "TooManyUnpaidOrders", status: 409 })
      const deposit = { amount: 1_000_000n, currency: "USD", payment_method: "card_gateway" } as const
      const deposited = Deposits.use((deposits) => deposits.create(caller.user_id, deposit))
      assert.strictEqual((yield* Effect.flip(deposited))._tag, "TooManyUnpaidOrders")
      const rows = yield* sql`SELECT id FROM proxy_order WHERE user_id = ${caller.user_id}`
      assert.lengthOf(rows, 500)
      // The limit does not apply to orders that the wallet pays.
      yield* place(1, {})
      yield* TestClock.adjust("25 hours")
      yield* place(1)
    })
  )

  it.effect("are removed, also from the counts, after 30 days; their payments and entries after a year", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const sql = yield* SqlClient.SqlClient
      const given = yield* waiting({ quantity: 3 })
      const owner = given.caller.user_id
      yield* cancel(owner, given.ids[0] ?? OrderId.make(""))
      const deposit = { amount: 1_000_000n, currency: "USD", payment_method: "card_gateway" } as const
      const { payment_intent_id } = yield* Deposits.use((deposits) => deposits.create(owner, deposit))
      const atomically = yield* Atomically
      yield* atomically(PaymentSettlement.use(({ end }) => end(payment_intent_id, "expired")))
      const left = sql`SELECT id FROM proxy_order WHERE user_id = ${owner}`
      const payments = sql`SELECT id FROM payment_intent WHERE user_id = ${owner}`
      const total = Orders.use((orders) => Effect.map(orders.counts(owner, {}), (counts) => counts.total))
      yield* TestClock.adjust("29 days")
      yield* run
      assert.lengthOf(yield* left, 3)
      assert.strictEqual(yield* total, 3)
      assert.lengthOf(yield* payments, 2)
      assert.lengthOf(yield* given.entries, 2)
      yield* TestClock.adjust("2 days")
      yield* run
      assert.lengthOf(yield* left, 0)
      assert.strictEqual(yield* total, 0)
      assert.lengthOf(yield* payments, 2)
      yield* TestClock.adjust("335 days")
      yield* run
      assert.lengthOf(yield* payments, 0)
      assert.lengthOf(yield* given.entries, 0)
    })
  )

  it.effect(
    "are credited when money arrives within a year, even after their removal; a later payment is stored as an unmatched call",
    () =>
      Effect.gen(function* () {
        const { cancel } = yield* OrderCancellation
        const sql = yield* SqlClient.SqlClient
        const [late, never] = [yield* waiting(), yield* waiting()]
        for (const { caller, ids } of [late, never]) yield* cancel(caller.user_id, ids[0] ?? OrderId.make(""))
        yield* TestClock.adjust("31 days")
        yield* run
        assert.strictEqual(yield* late.pay(), "credited")
        yield* TestClock.adjust("340 days")
        yield* run
        assert.strictEqual(yield* late.balance, 1_500_000n)
        assert.strictEqual(yield* late.paymentStatus, "failed")
        assert.strictEqual(yield* late.pay(), "duplicate")
        assert.strictEqual(yield* never.pay({ charge_id: "too_late" }), "unmatched")
        assert.strictEqual(yield* never.balance, 0n)
        yield* TestClock.adjust("40 days")
        yield* PaymentCallbackCleanup.run
        const kept = yield* sql<{ body: Uint8Array }>`SELECT body FROM payment_callback WHERE outcome = 'unmatched'`
        assert.lengthOf(kept, 1)
        assert.include(Buffer.from(kept[0]?.body ?? []).toString(), "too_late")
      })
  )

  it.effect("need no index on `updated_at`, which every update of an order would have to maintain", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql`
        SELECT indexrelid::regclass AS index FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = 'proxy_order'::regclass AND a.attname = 'updated_at'
      `
      assert.deepStrictEqual(indexes, [])
    })
  )

  it.effect("are removed alone: paid and waiting orders stay", () =>
    Effect.gen(function* () {
      const [paid, open] = [yield* waiting(), yield* waiting()]
      yield* paid.pay()
      yield* TestClock.adjust("40 days")
      yield* run
      assert.deepStrictEqual([yield* paid.statuses, yield* open.statuses], [["paid"], ["waiting_payment"]])
    })
  )
})
