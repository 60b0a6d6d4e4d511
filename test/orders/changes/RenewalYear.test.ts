import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import type { OrderRequest } from "../../../src/orders/checkout/OrderRequest.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { layer as domain } from "./ProxyChangeTesting.ts"

/** Records every status that a proxy takes. */
const witness = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE witnessed (number bigserial, order_id uuid, proxy_status text)`
  yield* sql`
    CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO witnessed (order_id, proxy_status) VALUES (NEW.id, NEW.proxy_status);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER witness AFTER UPDATE ON proxy_order
    FOR EACH ROW WHEN (OLD.proxy_status <> NEW.proxy_status) EXECUTE FUNCTION witness()
  `
})

/** Moves the clock to each moment at which a job has work. */
const untilDay = Effect.fnUntraced(function* (day: number) {
  const sql = yield* SqlClient.SqlClient
  const end = day * 86_400_000
  const nextDue = sql<{ due: Date | null }>`
    SELECT min(due) AS due FROM (
      SELECT min(expiring_at) AS due FROM proxy_order WHERE proxy_status = 'active'
      UNION ALL SELECT min(expires_at) FROM proxy_order WHERE proxy_status = 'expiring'
      UNION ALL SELECT min(renew_at) FROM proxy_order WHERE proxy_status = 'expiring' AND renew_at < expires_at
      UNION ALL SELECT min(settle_at) FROM proxy_change WHERE status = 'pending'
    ) moments
  `
  for (;;) {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const [next] = yield* nextDue
    const due = Math.max(now, next?.due?.getTime() ?? end)
    if (due >= end) return
    yield* TestClock.setTime(due)
    yield* Effect.andThen(Expiry.run, Effect.andThen(AutoRenewal.run, ProxyChangeRecovery.run))
  }
})

interface Group {
  readonly quantity: number
  readonly price: bigint
  /** Number of renewals that the wallet can pay for each proxy. */
  readonly renewals: number
  readonly fields: Partial<(typeof OrderRequest)["Encoded"]>
  readonly offer: "Datacenter" | "Residential" | "Mobile"
}

const always = 100
const auto_renew = true

const groups: ReadonlyArray<Group> = [
  { offer: "Datacenter", quantity: 100, price: 1_500_000n, renewals: 0, fields: {} },
  { offer: "Datacenter", quantity: 60, price: 4_000_000n, renewals: 0, fields: { period_days: 90 } },
  { offer: "Mobile", quantity: 60, price: 2_000_000n, renewals: 0, fields: { tarification_index: 0 } },
  { offer: "Mobile", quantity: 6, price: 2_000_000n, renewals: 5, fields: { tarification_index: 0, auto_renew } },
  { offer: "Datacenter", quantity: 6, price: 1_500_000n, renewals: always, fields: { auto_renew } },
  { offer: "Residential", quantity: 3, price: 3_500_000n, renewals: always, fields: { auto_renew } },
  {
    offer: "Mobile",
    quantity: 2,
    price: 30_000_000n,
    renewals: always,
    fields: { tarification_index: 2, period_days: 30, auto_renew }
  }
]

interface Row {
  readonly id: string
  readonly proxy_status: string
  readonly seen: ReadonlyArray<string> | null
  readonly renewals: number
  readonly periods: number
  readonly gaps: number
}

const rowsOf = (user: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<Row>`
      SELECT o.id, o.proxy_status,
        (SELECT array_agg(w.proxy_status ORDER BY number) FROM witnessed w WHERE w.order_id = o.id) AS seen,
        (SELECT count(*)::int FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'applied') AS renewals,
        (SELECT count(DISTINCT previous_expires_at)::int FROM proxy_change c WHERE c.order_id = o.id) AS periods,
        (SELECT count(*)::int FROM proxy_change c WHERE c.order_id = o.id AND c.previous_expires_at <> ALL (
          SELECT expires_at FROM proxy_change b WHERE b.order_id = o.id
          UNION ALL SELECT min(previous_expires_at) FROM proxy_change b WHERE b.order_id = o.id
        )) AS gaps
      FROM proxy_order o WHERE user_id = ${user}
    `
  )

const bought = Effect.fnUntraced(function* ({ fields, offer, price, quantity, renewals }: Group) {
  const funds = price * BigInt(quantity * (renewals + 1))
  const caller = yield* Testing.buyer(funds)
  const request = yield* Testing.request({ offer_id: yield* Testing.offerId(offer), quantity, ...fields })
  yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return { user: caller.user_id, funds }
})

const alternating = (times: number) => Array.from({ length: times }, () => ["active", "expiring"]).flat()

layer(domain)("400 days of renewals", (it) => {
  it.effect(
    "every proxy takes each status once per cycle, each period is billed once, and the ledger adds up",
    () =>
      Effect.gen(function* () {
        const memory = yield* MemoryProvider
        yield* witness
        const owners = yield* Effect.forEach(groups, bought)
        yield* untilDay(400)
        for (const [index, { price, quantity, renewals }] of groups.entries()) {
          const { funds, user } = owners[index]!
          const rows = yield* rowsOf(user)
          assert.lengthOf(rows, quantity)
          for (const row of rows) {
            assert.deepStrictEqual([row.periods, row.gaps], [row.renewals, 0])
            assert.lengthOf(memory.leases.get(row.id)?.changes ?? [], row.renewals)
            const isRich = renewals === always
            const lives = alternating(row.renewals + 1)
            if (!isRich) assert.deepStrictEqual(row.seen, [...lives, "expired"])
            else assert.deepStrictEqual(row.seen?.slice(0, lives.length), lives.slice(0, row.seen?.length))
            if (!isRich) assert.strictEqual(row.proxy_status, "expired")
            else assert.include(["active", "expiring"], row.proxy_status)
          }
          const made = rows.reduce((sum, row) => sum + row.renewals, 0)
          if (renewals < always) assert.strictEqual(made, quantity * renewals)
          else assert.isAtLeast(made, quantity * 12)
          assert.strictEqual(yield* Testing.balanceOf(user), funds - price * BigInt(quantity + made))
        }
      }),
    300_000
  )
})
