import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { Reconciliation } from "../../src/reconciliation/Reconciliation.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as OrderTesting from "../support/OrderTesting.ts"
import { copyOf, epoch, future, noProxy, old, plants, recordedProxy } from "./ReconcilePlants.ts"
import { autoTopUpPlants } from "./AutoTopUpPlants.ts"
import { restrictionPlants } from "./RestrictionPlants.ts"
import { givenPlants } from "./GivenPlants.ts"
import { warrantyPlants } from "./WarrantyPlants.ts"
import { holdPlants } from "./HoldPlants.ts"
import { documentPlants } from "./DocumentPlants.ts"
import { moneyPlants } from "./MoneyPlants.ts"
import { reversalPlants } from "./ReversalPlants.ts"
import { customer, forge, layer as services, reconcile } from "./ReconcileTesting.ts"

layer(services)("reconcile", (it) => {
  // The planted differences stay in the database.
  let known: ReadonlySet<string> = new Set()

  it.effect("finds nothing after complete orders, proxy changes and refunds, and nothing in unfinished ones", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      const sql = yield* SqlClient.SqlClient
      yield* customer
      provider.next("refuse")
      const { order } = yield* customer
      const [refunded] = yield* sql<{ status: string }>`SELECT status FROM proxy_order WHERE id = ${order}`
      assert.strictEqual(refunded?.status, "refunded")
      // Another client's request is about to be answered.
      provider.next("time_out")
      yield* customer
      // A release is in progress: the provider has released the proxy, and the order does not know yet.
      const { order: leaving } = yield* customer
      provider.edit(leaving, { is_live: false })
      yield* forge(`UPDATE proxy_order SET operation_until = ${epoch} + interval '1 minute' WHERE id = '${leaving}'`)
      // The gateway has opened a proxy, and the order does not know yet.
      const { order: other } = yield* customer
      const opening = randomUUID()
      yield* forge(
        copyOf(other, opening, `${noProxy} || '{"status": "paid", "total": 0, "provider": "gateway"}'`),
        ...recordedProxy(randomUUID(), opening, `'open', ${future}, ${epoch}, ${epoch}`)
      )
      // Money came in, and the gateway's call is on its way.
      const gateways = yield* MemoryPaymentGateways
      const waiting = yield* Deposits.use((deposits) =>
        Effect.flatMap(newUser, (user) =>
          deposits.create(user, { amount: 5_000_000n, currency: "USD", payment_method: "card_gateway" })
        )
      )
      gateways.payUnreported(waiting.payment_intent_id)
      const { code, found, lines } = yield* reconcile()
      assert.deepStrictEqual([code, found], [0, []])
      assert.deepStrictEqual(lines, [
        "ledger\tchecked\t12 wallets, 11 completed entries, 5 purchases",
        "orders\tchecked\t6 orders, 3 of them live, 1 open proxies at the gateway",
        "payments\tchecked\t6 payments, 5 charges, 0 reversals, 0 documents",
        "audit\tchecked\t0 events",
        "orders\tchecked\tmemory, live proxies: asked about 2",
        "payments\tchecked\tcard_gateway, payments: asked about 6"
      ])
      // The service no longer looks a settled payment up, and the call never came.
      yield* forge(`UPDATE payment_intent SET look_at = ${old} WHERE id = '${waiting.payment_intent_id}'`)
      const late = yield* reconcile()
      assert.lengthOf(late.found, 1)
      assert.match(late.found[0] ?? "", /charge \S+ of 5000000 USD came in and was never credited/)
      yield* forge(`UPDATE payment_intent SET look_at = expires_at WHERE id = '${waiting.payment_intent_id}'`)
    })
  )

  it.effect.each([
    ...plants,
    ...reversalPlants,
    ...autoTopUpPlants,
    ...documentPlants,
    ...moneyPlants,
    ...restrictionPlants,
    ...holdPlants,
    ...givenPlants,
    ...warrantyPlants
  ])("finds %s", ([, statements, expected]) =>
    Effect.gen(function* () {
      const someone = yield* customer
      yield* forge(...statements(someone), "SELECT money_rebuild()")
      const after = yield* reconcile()
      const news = after.found.filter((line) => !known.has(line))
      known = new Set(after.found)
      const patterns = expected(someone)
      assert.lengthOf(news, patterns.length, news.join("\n"))
      for (const pattern of patterns)
        assert.isTrue(
          news.some((line) => new RegExp(`^${pattern}`).test(line)),
          `${pattern}\n${news.join("\n")}`
        )
      assert.isAtLeast(after.code, 1)
    })
  )

  it.effect("finds a refund of another amount, and a refund of a payment that still stands", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      provider.next("refuse", "refuse")
      const [one, other] = [yield* customer, yield* customer]
      const before = yield* reconcile()
      yield* forge(
        `UPDATE wallet_transaction SET amount = amount - 1, balance_after = balance_after - 1 WHERE refunded_transaction_id = '${one.payment}'`,
        `UPDATE wallet SET balance = balance - 1 WHERE id = '${one.wallet}'`,
        `UPDATE proxy_order SET status = 'paid', proxy_status = 'pending' WHERE id = '${other.order}'`,
        "SELECT money_rebuild()"
      )
      const after = yield* reconcile()
      const news = after.found.filter((line) => !before.found.includes(line)).toSorted()
      assert.lengthOf(news, 2)
      assert.match(
        news[0] ?? "",
        new RegExp(`refunds 1499999 USD of entry ${one.payment}, which is a payment of -1500000`)
      )
      assert.match(news[1] ?? "", new RegExp(`order ${other.order}\tis paid, and entry ${other.payment} was refunded`))
    })
  )

  it.effect("finds a daily sum that was changed, and a term that is missing", () =>
    Effect.gen(function* () {
      const { order, payment } = yield* customer
      yield* forge("SELECT money_rebuild()")
      const before = yield* reconcile()
      yield* forge(
        "UPDATE money_day SET usd = usd - 5 WHERE ctid = (SELECT ctid FROM money_day WHERE flow = 'order' LIMIT 1)",
        `DELETE FROM revenue_term WHERE transaction_id = '${payment}'`
      )
      const after = yield* reconcile()
      const news = after.found.filter((line) => !before.found.includes(line)).toSorted()
      const days = ["all", "channel", "country", "country_month", "kind", "offer", "offer_month", "provider"]
      const sumsBy = ["1969-12-29 by country_week", ...days.map((split) => `1970-01-01 by ${split}`)].map(
        (split) =>
          `ledger\tdiffers\tdaily sum of ${split}, order, USD\tdiffers from its day by 0 in number, 0 in amount and 5`
      )
      const expected = [
        ...sumsBy,
        "ledger\tdiffers\tdaily sum of 1970-01-01, delivery, USD\tdiffers from its records by 1 in number",
        "ledger\tdiffers\tdaily sum of 1970-01-01, order, USD\tdiffers from its records by 0 in number, 0 in amount, -5 in",
        `ledger\tdiffers\tentry ${payment}\tpaid 1500000 for order ${order}, which was delivered; its term is missing`
      ]
      assert.lengthOf(news, expected.length, news.join("\n"))
      for (const [at, line] of expected.entries()) assert.include(news[at] ?? "", line)
      yield* forge("SELECT money_rebuild()")
      const healed = yield* reconcile()
      assert.isFalse(healed.found.some((line) => line.includes("sum of")))
    })
  )

  it.effect("finds refunds and disputes that a gateway knows and has not reported", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { intent } = yield* customer
      const before = yield* reconcile()
      const newsOf = Effect.map(reconcile(), ({ found }) => found.filter((line) => !before.found.includes(line)))
      const about = { charge_id: `charge_${intent}`, reversal_id: `dp_${intent}`, kind: "dispute", amount: 5n } as const
      gateways.reverseUnreported({ ...about, status: "taken" })
      const [unheard = "", ...others] = yield* newsOf
      assert.deepStrictEqual(others, [])
      assert.match(
        unheard,
        new RegExp(
          `^payments\tdiffers\tpayment ${intent} \\S+ \\S+\tcharge charge_${intent} has a dispute dp_${intent} \\(taken\\) that its gateway has not`
        )
      )
      yield* Payments.use((payments) =>
        payments.receive("card_gateway", gateways.reverse(intent, { ...about, status: "taken" }))
      )
      assert.deepStrictEqual(yield* newsOf, [])
      gateways.reverseUnreported({ ...about, status: "returned" })
      const [won = ""] = yield* newsOf
      assert.include(won, `dispute dp_${intent} (returned) that its gateway has not reported`)
    })
  )

  it.effect(
    "finds money without a payment, payments that nobody settled, and payments that a gateway does not confirm",
    () =>
      Effect.gen(function* () {
        const gateways = yield* MemoryPaymentGateways
        const before = yield* reconcile()
        const entry = yield* Effect.flatMap(newUser, (user) => fund(user, 5n))
        const card = { payment_method: "card_gateway" }
        const request = yield* OrderTesting.request(card)
        const buyer = yield* OrderTesting.buyer(0n)
        const place = OrderPlacement.use((placement) => placement.place(buyer, request, undefined))
        const [left, over] = [(yield* place).orders[0], (yield* place).orders[0]]
        const { intent } = yield* customer
        const [leftId, overId] = [left?.payment_info.payment_intent_id, over?.payment_info.payment_intent_id]
        yield* forge(
          `UPDATE payment_intent SET expires_at = ${old} WHERE id = '${leftId}'`,
          `UPDATE payment_intent SET status = 'expired', look_at = NULL WHERE id = '${overId}'`,
          `UPDATE wallet_transaction SET status = 'failed' WHERE id = (SELECT transaction_id FROM payment_intent WHERE id = '${overId}')`,
          `UPDATE payment_charge SET charge_id = 'another' WHERE payment_intent_id = '${intent}'`,
          `UPDATE wallet_transaction SET external_id = 'another' WHERE external_id = 'charge_${intent}'`
        )
        const { found } = yield* reconcile()
        const news = found.filter((line) => !before.found.includes(line))
        const expected = [
          `ledger|payments\tdiffers\tentry ${entry}\tcredits 5 USD`,
          `payments\tdiffers\tpayment ${leftId}\tis pending, and expired at`,
          `payments\tdiffers\torder ${over?.id}\twaits for payment ${overId}, which is expired`,
          `payments\tdiffers\tpayment ${intent} \\S+ \\S+\tcharge charge_${intent} of 25000000 USD came in and was never`,
          `payments\tdiffers\tpayment ${intent} \\S+ \\S+\tcharge another was credited with 25000000 USD; the gateway`
        ]
        assert.lengthOf(news, expected.length, news.join("\n"))
        for (const pattern of expected)
          assert.isTrue(
            news.some((line) => new RegExp(`^${pattern}`).test(line)),
            pattern
          )
        assert.isNotEmpty(gateways.lookUps)
      })
  )
})

layer(services)("reconcile, while a provider or a gateway does not answer,", (it) => {
  it.effect("lists what it could not check, and exits with another code than for a difference", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      const gateways = yield* MemoryPaymentGateways
      const { order } = yield* customer
      provider.setDown(true)
      gateways.setDown(true)
      const away = yield* reconcile()
      assert.deepStrictEqual(away.found, [
        "orders\tnot checked\tmemory, live proxies: asked about 1 of 1\tmemory: down",
        "payments\tnot checked\tcard_gateway, payments: asked about 1 of 1\tdown"
      ])
      assert.deepStrictEqual([away.code, away.message], [2, "differences: 0, not checked: 2"])
      yield* forge(`UPDATE proxy_order SET total = total + 1 WHERE id = '${order}'`)
      const both = yield* reconcile(true)
      assert.deepStrictEqual([both.code, both.message], [1, "differences: 1, not checked: 2"])
      const [difference] = both.lines.map((line) => JSON.parse(line))
      assert.deepStrictEqual(Object.keys(difference).toSorted(), ["_tag", "problem", "remedy", "section", "subject"])
      assert.deepStrictEqual([difference._tag, difference.subject], ["Difference", `order ${order}`])
    })
  )

  it.effect("names the settings that the payments' gateway needs", () =>
    Effect.gen(function* () {
      ;(yield* MemoryPaymentGateways).setDown(false)
      ;(yield* MemoryProvider).setDown(false)
      yield* customer
      const unset = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PUBLIC_URL: "http://localhost" }))
      const outside = PaymentGateways.layerOutside.pipe(
        Layer.provide([Addresses.layer, NodeHttpClient.layerNodeHttp]),
        Layer.provide(unset)
      )
      const alone = Layer.fresh(Reconciliation.layer).pipe(Layer.provide(Layer.fresh(outside)))
      const { code, found } = yield* Effect.provide(reconcile(), alone)
      const why =
        "this command has no gateway for them; set STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET as the service has them"
      assert.include(found, `payments\tnot checked\tcard_gateway, payments: 2\t${why}`)
      assert.isAtLeast(code, 1)
    })
  )
})
