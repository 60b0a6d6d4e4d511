import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Random, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { Caller } from "../../../src/accounts/Caller.ts"
import { OrderCare } from "../../../src/orders/care/OrderCare.ts"
import { ProxyChangeId } from "../../../src/orders/changes/ProxyChange.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { BandwidthRequest, ExtendRequest } from "../../../src/orders/changes/ProxyChangeRequest.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import * as Money from "../../../src/platform/Money.ts"
import * as Actor from "../../../src/staff/Actor.ts"
import { Audit } from "../../../src/staff/audit/Audit.ts"
import * as DayClose from "../../../src/staff/reports/DayClose.ts"
import * as MoneyDays from "../../../src/staff/reports/MoneyDays.ts"
import { DayCloseRepo } from "../../../src/staff/reports/DayCloseRepo.ts"
import { MoneyDaysRepo } from "../../../src/staff/reports/MoneyDaysRepo.ts"
import type { AskedReport } from "../../../src/staff/reports/Reports.ts"
import { Reports } from "../../../src/staff/reports/Reports.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { orderOf } from "../../orders/changes/ProxyChangeTesting.ts"
import { asked, layer as refunding } from "../../orders/refunds/RefundTesting.ts"
import { credit, person } from "../../wallet/adjustments/MoneyTesting.ts"
import { straightSums } from "./StraightSums.ts"

const services = Layer.mergeAll(OrderCare.layer, Reports.layer, MoneyDaysRepo.layer, DayCloseRepo.layer).pipe(
  Layer.provideMerge(Audit.layer),
  Layer.provideMerge(refunding)
)

const days = 400
const day = 86_400_000
const dayOf = (number: number) => new Date(number * day).toISOString().slice(0, 10)
const usd = (text: unknown) => {
  const minus = String(text).startsWith("-")
  const amount = Money.fromDecimal("USD", String(text).replace("-", "")) ?? 0n
  return minus ? -amount : amount
}

const kinds = [
  { offer: "Datacenter", fields: {} },
  { offer: "Datacenter", fields: { period_days: 90 } },
  { offer: "Datacenter", fields: { payment_currency: "STAR" } },
  { offer: "Datacenter", fields: { auto_renew: true } },
  { offer: "Residential", fields: { auto_renew: true } },
  { offer: "Residential", fields: {} },
  { offer: "Mobile", fields: { tarification_index: 1 } },
  { offer: "Mobile", fields: { tarification_index: 0, auto_renew: true } }
]

const month = Schema.decodeUnknownSync(ExtendRequest)({ months: 1 })
const cycle = Schema.decodeUnknownSync(ExtendRequest)({ tarification_index: 1 })
const traffic = Schema.decodeUnknownSync(BandwidthRequest)({ bandwidth_gb: 3 })

const by = (caller: Caller["Service"], api_key_id: string): Caller["Service"] => ({
  ...caller,
  credential: { _tag: "api_key", api_key_id, scopes: null, daily_spend_limit_usd: null }
})

/** Orders that run, newest last. */
const running = SqlClient.SqlClient.use(
  (sql) => sql<{ id: string; user_id: any }>`
    SELECT id, user_id FROM proxy_order WHERE proxy_status IN ('active', 'expiring') ORDER BY id
  `
)

/** Staff gives a month. */
const give = Effect.fnUntraced(function* (id: OrderId) {
  const care = yield* OrderCare
  const given = {
    id: ProxyChangeId.make(randomUUID()),
    by: { id: "ada", name: "Ada", role: "owner" },
    reason: "Slow for a day"
  } as const
  const wanted = { action: "extend", time: { months: 1 } } as const
  yield* (yield* Atomically)(care.begin(id, wanted, given))
  yield* care.finish(id, "extend")
})

/** Something that a customer, a provider or a staff member does. Refusals are part of the life of a shop. */
const act = Effect.fnUntraced(function* (callers: ReadonlyArray<Caller["Service"]>) {
  const caller = callers[yield* Random.nextIntBetween(0, callers.length - 1)]!
  const chosen = yield* Random.nextIntBetween(0, 99)
  const live = yield* running
  const one = live.length === 0 ? undefined : live[yield* Random.nextIntBetween(0, live.length - 1)]
  const id = OrderId.make(one?.id ?? randomUUID())
  const owner = Testing.session(one?.user_id ?? caller.user_id)
  if (chosen < 45 || one === undefined) {
    const { fields, offer } = kinds[yield* Random.nextIntBetween(0, kinds.length - 1)]!
    const memory = yield* MemoryProvider
    if (chosen < 4) memory.next("refuse")
    const request = yield* Testing.request({ offer_id: yield* Testing.offerId(offer), ...fields })
    return yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  }
  const order = yield* orderOf(owner.user_id, id)
  const extension = order.mode === "rotating" ? cycle : month
  if (chosen < 60) return yield* ProxyChanges.use((changes) => changes.extend(owner, order, extension, undefined))
  if (chosen < 68) return yield* ProxyChanges.use((changes) => changes.addTraffic(owner, order, traffic, undefined))
  if (chosen < 78) {
    const amount = BigInt(yield* Random.nextIntBetween(1, 30)) * 10_000n
    return yield* OrderRefunds.use((refunds) => refunds.create(person("owner"), asked(id, { amount })))
  }
  if (chosen < 84)
    return yield* OrderRefunds.use((refunds) => refunds.create(person("owner"), asked(id, { kind: "whole" })))
  if (chosen < 88)
    return yield* OrderRefunds.use((refunds) =>
      refunds.create(person("owner"), asked(id, { kind: "prorata", ends_service: chosen % 2 === 0 }))
    )
  if (chosen < 91) return yield* give(id)
  if (chosen < 94)
    return yield* Adjustments.use((adjustments) => adjustments.create(person("owner"), credit(owner.user_id)))
  return yield* Fixtures.fund(caller.user_id, 5_000_000n)
})

const jobs = Effect.andThen(Expiry.run, Effect.andThen(AutoRenewal.run, ProxyChangeRecovery.run))

const live = Effect.gen(function* () {
  const buyers = yield* Effect.all(Arr.makeBy(6, (at) => Testing.buyer(at === 0 ? 3_000_000n : 60_000_000n)))
  for (const { user_id } of buyers) yield* Fixtures.fund(user_id, 900n, "STAR")
  const callers = buyers.map((buyer, at) => (at % 2 === 0 ? buyer : by(buyer, randomUUID())))
  for (let number = 0; number < days; number++) {
    for (const hour of [3, 11, 19]) {
      yield* TestClock.setTime(number * day + hour * 3_600_000 + (yield* Random.nextIntBetween(0, 7_000_000)))
      yield* jobs
      yield* Effect.exit(act(callers))
      if ((yield* Random.nextIntBetween(0, 2)) === 0) yield* MoneyDays.run
    }
    if (number % 3 === 0) {
      yield* TestClock.setTime((number + 1) * day + 16 * 60_000)
      yield* DayClose.run
    }
  }
  yield* TestClock.setTime(days * day + 16 * 60_000)
  yield* DayClose.run
})

const rows = Effect.fnUntraced(function* (asked: Omit<AskedReport, "from" | "to">) {
  const reports = yield* Reports
  const table = yield* reports.read(Actor.cli("test"), { from: dayOf(0), to: dayOf(days - 1), ...asked })
  assert.isFalse(table.is_cut)
  return table.rows
})

/** The rows of a report by day. */
const byDay = Effect.fnUntraced(function* (name: AskedReport["name"]) {
  const found = yield* rows({ name, period: "day" })
  return new Map(found.map((row) => [String(row["period"]), row]))
})

layer(services)("400 virtual days", (it) => {
  it.effect(
    "the reports equal sums over all records, day by day",
    () =>
      Effect.gen(function* () {
        yield* live
        const straight = yield* straightSums
        assert.isAbove(straight.terms.length, 300)
        assert.isAbove(straight.refunds.length, 30)
        assert.isAbove(straight.gifts.length, 5)
        const [revenue, margin, unearned, recognised] = yield* Effect.all([
          byDay("revenue"),
          byDay("margin"),
          byDay("unearned"),
          byDay("recognised")
        ])
        const liabilities = yield* rows({ name: "liabilities", period: "day" })
        let all = 0n
        for (let number = 0; number < days; number++) {
          const key = dayOf(number)
          const [from, to] = [BigInt(number * day), BigInt((number + 1) * day)]
          const sales = straight.revenue(from, to)
          const sold = revenue.get(key)
          assert.deepStrictEqual(
            [usd(sold?.["gross_usd"]), usd(sold?.["reversed_usd"]), usd(sold?.["returned_usd"])],
            [sales.gross, sales.reversed, sales.returned],
            key
          )
          const net = sales.gross - sales.reversed - sales.returned
          const made = margin.get(key)
          const expected = straight.margin(from, to)
          assert.deepStrictEqual(
            [made?.["deliveries"] ?? 0, made?.["costed"] ?? 0, usd(made?.["margin_usd"])],
            [expected.deliveries, expected.costed, expected.margin],
            key
          )
          assert.strictEqual(usd(unearned.get(key)?.["unearned_usd"]), straight.unearned(to), `unearned ${key}`)
          const before = number === 0 ? 0n : straight.unearned(from)
          const earned = usd(recognised.get(key)?.["recognised_usd"])
          assert.strictEqual(earned, before + net - straight.unearned(to), `recognised ${key}`)
          all += net - earned
          for (const currency of ["USD", "STAR"] as const) {
            const held = liabilities.find((row) => row["period"] === key && row["currency"] === currency)
            const { balance, granted } = straight.liabilities(to, currency)
            assert.deepStrictEqual(
              [held?.["balance"], held?.["granted"]],
              [Money.toDecimal(currency, balance), Money.toDecimal(currency, granted)],
              `${currency} ${key}`
            )
          }
        }
        assert.strictEqual(all, straight.unearned(BigInt(days * day)))
        const channels = yield* rows({ name: "sales", by: "channel" })
        assert.sameMembers(
          channels.map((row) => row["channel"]),
          // A gift of staff has no channel.
          ["pages", "api", "auto_renew", null]
        )
        const [renewals] = yield* rows({ name: "renewals", period: "total" })
        const extensions = straight.terms.filter(({ payment }) => payment.reference.startsWith("change:"))
        assert.isAtMost(Number(renewals?.["renewed"]), extensions.length)
        assert.isAbove(Number(renewals?.["auto_renewed"]), 10)
        assert.isAbove(Number(renewals?.["ended_early"]), 5)
      }),
    300_000
  )
})
