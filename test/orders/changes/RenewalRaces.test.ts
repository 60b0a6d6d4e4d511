import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import type { OrderId } from "../../../src/orders/Order.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { reprice } from "../../support/Repricing.ts"
import { bookedFor, layer as domain, noticesOf, orderOf, proxy } from "./ProxyChangeTesting.ts"

/** A renewal, and what makes it at the provider in the same minute. */
const minute = Effect.andThen(AutoRenewal.run, ProxyChangeRecovery.run)

/**
 * Runs `work`, and `change` as a whole immediately before one of its statements, on other connections. Answers the number
 * of statements of `work`.
 */
const changedAt = Effect.fnUntraced(function* <A, E, R, B, F, S>(
  at: number,
  change: Effect.Effect<A, E, R>,
  work: Effect.Effect<B, F, S>
) {
  const runChange = Effect.runPromiseWith(yield* Effect.context<R>())
  let made = 0
  const transform: Statement.Transformer = (statement) =>
    Effect.suspend(() =>
      ++made === at
        ? Effect.as(
            Effect.promise(() => runChange(change)),
            statement
          )
        : Effect.succeed(statement)
    )
  yield* Effect.provideService(work, Statement.CurrentTransformer, transform)
  return made
})

/** A proxy with auto-renew that is expiring. No other proxy of the database is renewed with it. */
const expiring = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET auto_renew = false, renew_at = NULL`
  yield* reprice(100)
  const made = yield* proxy("Datacenter", { auto_renew: true })
  yield* TestClock.adjust("648 hours")
  yield* Expiry.run
  return made
})

/** The prices of the renewals of an order, which are those of its payments and refunds. */
const renewals = Effect.fnUntraced(function* (id: OrderId) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* sql<{ total: bigint; total_usd: bigint; status: string }>`
    SELECT total, total_usd, status FROM proxy_change WHERE order_id = ${id} ORDER BY id
  `
  const refunds = changes.filter(({ status }) => status === "refused").map(({ total }) => total)
  const payments = changes.map(({ total }) => -total)
  assert.sameMembers([...(yield* bookedFor(id))], [-1_500_000n, ...payments, ...refunds])
  for (const { total, total_usd } of changes) assert.strictEqual(total, total_usd)
  return changes.map(({ total }) => total)
})

/** Changes the price before each statement of a minute, one after another, also after the last one. Answers what came of it. */
const everywhere = Effect.fnUntraced(function* <A, E, R>(
  interleaved: (at: number) => Effect.Effect<{ readonly made: number; readonly outcome: A }, E, R>
) {
  const outcomes: Array<A> = []
  for (let at = 1; ; at++) {
    const { made, outcome } = yield* interleaved(at)
    outcomes.push(outcome)
    if (made < at) return outcomes
  }
})

/** Renews a proxy of 1.50 dollars in a minute in which the price becomes this percentage. */
const renewed = (percent: number) =>
  Effect.fnUntraced(function* (at: number) {
    const { id, user } = yield* expiring
    const made = yield* changedAt(at, reprice(percent), minute)
    const { announced_total, proxy_status } = yield* orderOf(user, id)
    return { made, outcome: { paid: yield* renewals(id), proxy_status, announced_total } }
  })

layer(domain)("A price that changes in the minute of a renewal", (it) => {
  for (const [percent, next] of [
    [115, 1_725_000n],
    [50, 750_000n]
  ] as const)
    it.effect(`to ${percent} % is charged as a whole or not at all, whichever statement it comes before`, () =>
      Effect.gen(function* () {
        const outcomes = yield* everywhere(renewed(percent))
        assert.isAbove(outcomes.length, 12)
        for (const { announced_total, paid, proxy_status } of outcomes) {
          assert.lengthOf(paid, 1)
          assert.deepStrictEqual([proxy_status, announced_total], ["active", null])
        }
        const prices = outcomes.flatMap(({ paid }) => paid)
        assert.sameMembers([...new Set(prices)], [1_500_000n, next])
        // From the statement on that follows the agreement, the old price stays.
        assert.deepStrictEqual(
          prices,
          prices.toSorted((one, other) => (one === next ? 0 : 1) - (other === next ? 0 : 1))
        )
      })
    )

  it.effect("to more than the bound is announced and not charged, or not seen", () =>
    Effect.gen(function* () {
      const outcomes = yield* everywhere(renewed(130))
      const [charged, announced] = [
        outcomes.filter(({ paid }) => paid.length > 0),
        outcomes.filter(({ paid }) => paid.length === 0)
      ]
      for (const outcome of charged)
        assert.deepStrictEqual(outcome, { paid: [1_500_000n], proxy_status: "active", announced_total: null })
      for (const outcome of announced)
        assert.deepStrictEqual(outcome, { paid: [], proxy_status: "expiring", announced_total: 1_950_000n })
      assert.isAbove(charged.length, 0)
      assert.isAbove(announced.length, 0)
    })
  )

  it.effect("above an announced price is announced again, or charged at the announced one", () =>
    Effect.gen(function* () {
      const outcomes = yield* everywhere(
        Effect.fnUntraced(function* (at: number) {
          const { id, user } = yield* expiring
          yield* reprice(130)
          yield* minute
          const { renews_from } = yield* orderOf(user, id)
          yield* TestClock.setTime(DateTime.toEpochMillis(renews_from ?? assert.fail()))
          const made = yield* changedAt(at, reprice(140), minute)
          const notices = (yield* noticesOf(user)).filter((kind) => kind === "renewal_price")
          const { announced_total } = yield* orderOf(user, id)
          return { made, outcome: { paid: yield* renewals(id), announced_total, notices: notices.length } }
        })
      )
      const charged = { paid: [1_950_000n], announced_total: null, notices: 1 }
      const again = { paid: [], announced_total: 2_100_000n, notices: 2 }
      for (const outcome of outcomes) assert.deepInclude([charged, again], outcome)
      assert.deepInclude(outcomes, charged)
      assert.deepInclude(outcomes, again)
    })
  )

  it.effect("does not touch the refund of a renewal that the provider refuses", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const refused = (at: number) => {
        memory.nextChange("refuse")
        return renewed(115)(at)
      }
      for (const { paid, proxy_status } of yield* everywhere(refused)) {
        assert.lengthOf(paid, 1)
        assert.strictEqual(proxy_status, "expiring")
      }
    })
  )

  it.effect("leaves each of many renewals by two instances at one of the two prices", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const proxies = yield* Effect.forEach(Array.from({ length: 12 }), () => proxy("Datacenter", { auto_renew: true }))
      yield* TestClock.adjust("648 hours")
      yield* Expiry.run
      yield* Effect.all([AutoRenewal.run, reprice(115), AutoRenewal.run, ProxyChangeRecovery.run], { concurrency: 4 })
      yield* ProxyChangeRecovery.run
      for (const { id } of proxies) {
        const paid = yield* renewals(id)
        assert.lengthOf(paid, 1)
        assert.include([1_500_000n, 1_725_000n], paid[0])
      }
    })
  )
})
