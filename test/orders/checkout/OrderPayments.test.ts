import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import * as ProvisioningRecovery from "../../../src/orders/provisioning/ProvisioningRecovery.ts"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { WalletTransactionId } from "../../../src/wallet/WalletTransaction.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

layer(services)("Orders paid from outside", (it) => {
  it.effect("wait for one common payment, and are provisioned when it arrives", () =>
    Effect.gen(function* () {
      const { answered, balance, entries, intent, notices, pay, paymentStatus, statuses } = yield* waiting({
        quantity: 2
      })
      for (const { payment_info, proxy_access, status } of answered)
        assert.deepStrictEqual(
          [status, proxy_access, payment_info],
          [
            "waiting_payment",
            [],
            {
              payment_method: "card_gateway",
              payment_intent_id: intent,
              payment_url: `https://gateway.test/${intent}`
            }
          ]
        )
      assert.strictEqual(yield* pay(), "paid")
      assert.deepStrictEqual(yield* statuses, ["paid", "paid"])
      yield* ProvisioningRecovery.run
      assert.deepStrictEqual(yield* statuses, ["provisioned", "provisioned"])
      assert.strictEqual(yield* paymentStatus, "paid")
      assert.strictEqual(yield* balance, 0n)
      assert.deepStrictEqual(yield* entries, [
        "deposit 3000000 completed",
        "payment -1500000 completed",
        "payment -1500000 completed"
      ])
      assert.deepStrictEqual(yield* notices, [])
    })
  )

  it.effect("are no deposits for the customer, although the ledger books their payment as one", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const sql = yield* SqlClient.SqlClient
      const { caller, entries } = yield* waiting()
      assert.deepStrictEqual(yield* entries, ["deposit 1500000 pending"])
      assert.strictEqual((yield* deposits.list(caller.user_id, { limit: 10, offset: 0 })).total, 0)
      const [entry] = yield* sql<{ id: string }>`SELECT id FROM wallet_transaction WHERE user_id = ${caller.user_id}`
      const found = deposits.get(caller.user_id, WalletTransactionId.make(entry?.id ?? ""))
      assert.strictEqual((yield* Effect.flip(found))._tag, "DepositNotFound")
    })
  )

  it.effect("are paid in whole stars with messenger_stars", () =>
    Effect.gen(function* () {
      const { answered, balance, orders, pay, statuses } = yield* waiting({ payment_method: "messenger_stars" })
      assert.strictEqual(answered[0]?.total_usd, 1.5)
      assert.deepStrictEqual(
        (yield* orders).map(({ currency, total }) => [currency, total]),
        [["STAR", 75n]]
      )
      assert.strictEqual(yield* pay({ amount: 75n }), "paid")
      assert.deepStrictEqual(yield* statuses, ["paid"])
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("are paid once when 50 equal calls arrive together with late, wrong and badly signed calls", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { balance, entries, forge, ids, intent, pay, statuses } = yield* waiting({ quantity: 2 })
      const calls = Array.from({ length: 50 }, (_, index) => (index === 21 ? Effect.flip(forge) : pay()))
      const outcomes = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(outcomes.filter((outcome) => outcome === "paid").length, 1)
      assert.strictEqual(outcomes.filter((outcome) => outcome === "duplicate").length, 48)
      assert.strictEqual(yield* pay({ charge_id: `wrong ${intent}`, amount: 2_990_000n }), "credited")
      assert.strictEqual(yield* pay({ charge_id: `late ${intent}` }), "credited")
      yield* Effect.all([ProvisioningRecovery.run, ProvisioningRecovery.run, pay()], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* statuses, ["provisioned", "provisioned"])
      for (const id of ids) assert.strictEqual(memory.count("provision", id), 1)
      assert.strictEqual(yield* balance, 5_990_000n)
      assert.deepStrictEqual(yield* entries, [
        "deposit 2990000 completed",
        "deposit 3000000 completed",
        "deposit 3000000 completed",
        "payment -1500000 completed",
        "payment -1500000 completed"
      ])
    })
  )

  it.effect("never cost or return more than the money that arrived, in any order of the calls", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all(Array.from({ length: 6 }, () => waiting()))
      yield* Effect.forEach(
        all.flatMap(({ decline, forge, intent, pay }, index) => {
          const calls: Array<Effect.Effect<unknown, unknown>> = [
            pay(),
            pay({ charge_id: `again ${intent}` }),
            pay({ charge_id: `less ${intent}`, amount: 1_000_000n }),
            decline,
            Effect.ignore(forge),
            pay()
          ]
          return [...calls.slice(index), ...calls.slice(0, index)]
        }),
        (call) => call,
        { concurrency: "unbounded" }
      )
      for (const { balance, statuses } of all) {
        const [status] = yield* statuses
        assert.include(["paid", "cancelled"], status)
        assert.strictEqual(yield* balance, status === "paid" ? 2_500_000n : 4_000_000n)
      }
    })
  )

  it.effect("are cancelled by a payment that is too small: the wallet keeps it, and the owner gets a notice", () =>
    Effect.gen(function* () {
      const { balance, entries, messages, notices, pay, paymentStatus, statuses } = yield* waiting({ quantity: 2 })
      assert.strictEqual(yield* pay({ amount: 1_500_000n }), "credited")
      assert.deepStrictEqual(yield* statuses, ["cancelled", "cancelled"])
      assert.strictEqual(yield* paymentStatus, "failed")
      assert.strictEqual(yield* balance, 1_500_000n)
      assert.deepStrictEqual(yield* entries, ["deposit 1500000 completed", "deposit 3000000 failed"])
      assert.deepStrictEqual(yield* notices, ["deposit_credited"])
      assert.deepStrictEqual(yield* messages, [
        "$1.50 came late, twice or not as requested, and were added to your wallet. Your order was cancelled."
      ])
    })
  )

  it.effect("are paid by a payment that is too large: the wallet keeps the rest", () =>
    Effect.gen(function* () {
      const { balance, entries, intent, messages, pay, paymentStatus, statuses } = yield* waiting({ quantity: 2 })
      const reports = Array.from({ length: 5 }, () => pay({ amount: 3_010_000n }))
      const outcomes = yield* Effect.all(reports, { concurrency: "unbounded" })
      assert.deepStrictEqual(outcomes.toSorted(), ["credited", "duplicate", "duplicate", "duplicate", "duplicate"])
      assert.deepStrictEqual(yield* statuses, ["paid", "paid"])
      assert.strictEqual(yield* paymentStatus, "failed")
      assert.deepStrictEqual(yield* entries, [
        "deposit 3000000 failed",
        "deposit 3010000 completed",
        "payment -1500000 completed",
        "payment -1500000 completed"
      ])
      assert.deepStrictEqual(yield* messages, [
        "$3.01 came in, which is more than your order costs. Your order is paid, and the rest is in your wallet."
      ])
      yield* ProvisioningRecovery.run
      assert.deepStrictEqual(yield* statuses, ["provisioned", "provisioned"])
      assert.strictEqual(yield* pay({ charge_id: `again ${intent}`, amount: 9_000_000n }), "credited")
      assert.strictEqual(yield* balance, 9_010_000n)
    })
  )

  it.effect("are cancelled when the payment is declined; money that still arrives is credited to the wallet", () =>
    Effect.gen(function* () {
      const { balance, decline, pay, statuses } = yield* waiting()
      assert.strictEqual(yield* decline, "declined")
      assert.deepStrictEqual(yield* statuses, ["cancelled"])
      assert.strictEqual(yield* pay(), "credited")
      assert.deepStrictEqual(yield* statuses, ["cancelled"])
      assert.strictEqual(yield* balance, 1_500_000n)
    })
  )

  it.effect("are charged in whole cents; the wallet keeps the difference to the price", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { code } = yield* newCode({ value: 33n })
      const { balance, intent, pay, statuses } = yield* waiting({ promo_code: code, quantity: 3 })
      const [asked] = yield* sql<{ amount: bigint }>`SELECT amount FROM payment_intent WHERE id = ${intent}`
      assert.strictEqual(asked?.amount, 3_020_000n)
      assert.strictEqual(yield* pay(), "paid")
      assert.deepStrictEqual(yield* statuses, ["paid", "paid", "paid"])
      assert.strictEqual(yield* balance, 5_000n)
    })
  )

  it.effect(
    "are refunded when they cannot be provisioned: money and promo code return, and the owner gets a notice",
    () =>
      Effect.gen(function* () {
        const memory = yield* MemoryProvider
        const sql = yield* SqlClient.SqlClient
        const { code } = yield* newCode()
        const { balance, caller, notices, pay, statuses } = yield* waiting({ promo_code: code })
        yield* ProvisioningRecovery.run
        yield* pay()
        memory.next("refuse")
        yield* ProvisioningRecovery.run
        assert.deepStrictEqual(yield* statuses, ["refunded"])
        assert.strictEqual(yield* balance, 1_200_000n)
        const uses = yield* sql`SELECT released_at FROM promo_code_use WHERE user_id = ${caller.user_id}`
        assert.deepStrictEqual(
          uses.map(({ released_at }) => released_at !== null),
          [true]
        )
        assert.deepStrictEqual(yield* notices, ["provisioning_failed"])
      })
  )

  it.effect("change nothing when they cost more than their payment, which is a defect", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { balance, ids, pay, paymentStatus, statuses } = yield* waiting()
      yield* sql`ALTER TABLE proxy_order DISABLE TRIGGER proxy_order_agrees`
      yield* sql`UPDATE proxy_order SET total = total + 1 WHERE ${sql.in("id", ids)}`
      yield* sql`ALTER TABLE proxy_order ENABLE TRIGGER proxy_order_agrees`
      assert.isTrue(Exit.hasDies(yield* Effect.exit(pay())))
      assert.deepStrictEqual([yield* statuses, yield* paymentStatus], [["waiting_payment"], "pending"])
      assert.strictEqual(yield* balance, 0n)
    })
  )
})
