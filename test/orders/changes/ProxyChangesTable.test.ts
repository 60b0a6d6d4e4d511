import { assert, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { changesOf, charged, layer as domain, proxy } from "./ProxyChangeTesting.ts"

/** A proxy with traffic that is paid for; the provider is not asked yet. */
const paid = Effect.gen(function* () {
  const { id: order_id, user } = yield* proxy("Residential")
  const id = yield* charged(order_id, { kind: "traffic", added_gb: 1 })
  return { id, order_id, user }
})

/** The reason why the database refuses. */
const whyNot = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.sandbox(write).pipe(Effect.flip), (cause) => {
    const error: any = Cause.squash(cause)
    return String(error.reason?.cause ?? error)
  })

const settled = Effect.andThen(TestClock.adjust("20 seconds"), ProxyChangeRecovery.run)

layer(domain)("The table proxy_change", (it) => {
  it.effect("refuses a second pending change of a proxy", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* paid
      const again = sql`
        INSERT INTO proxy_change SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
        FROM proxy_change c WHERE id = ${id}
      `
      assert.strictEqual((yield* Effect.flip(again)).reason._tag, "UniqueViolation")
    })
  )

  it.effect.each([
    "order_id = gen_random_uuid()",
    "total = total + 1",
    "period_days = period_days + 1",
    "period_months = period_months + 1",
    "tarification_index = 3",
    "added_gb = added_gb + 1",
    "previous_expires_at = previous_expires_at - interval '1 day'",
    "previous_bandwidth_gb = previous_bandwidth_gb - 1",
    "expires_at = expires_at + interval '1 day'",
    "bandwidth_gb = bandwidth_gb + 1",
    "created_at = created_at - interval '1 day'"
  ])("refuses an edit of the purchase: %s", (assignment) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* paid
      const edit = sql`UPDATE proxy_change SET ${sql.literal(assignment)} WHERE id = ${id}`
      assert.include(yield* whyNot(edit), "does not change")
    })
  )

  it.effect("refuses an edit of the outcome, and a deletion", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* paid
      yield* settled
      assert.include(yield* whyNot(sql`UPDATE proxy_change SET status = 'pending' WHERE id = ${id}`), "does not change")
      assert.include(yield* whyNot(sql`DELETE FROM proxy_change WHERE id = ${id}`), "does not change")
      assert.include(yield* whyNot(sql`TRUNCATE proxy_change`), "does not change")
    })
  )

  it.effect("refuses a change that is applied without a call of the provider", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* paid
      const made = sql`UPDATE proxy_change SET status = 'applied' WHERE id = ${id}`
      assert.strictEqual((yield* Effect.flip(made)).reason._tag, "ConstraintError")
    })
  )

  it.effect("refuses a change without its payment, and a refusal without its refund", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const wallets = yield* Wallets
      const { id, order_id, user } = yield* paid
      const other = yield* proxy("Residential")
      const unpaid = sql`
        INSERT INTO proxy_change SELECT (jsonb_populate_record(c,
          jsonb_build_object('id', gen_random_uuid(), 'order_id', ${other.id}::text))).*
        FROM proxy_change c WHERE id = ${id}
      `
      assert.include(yield* whyNot(unpaid), "paid for")
      const refused = sql`
        UPDATE proxy_change SET status = 'refused', refusal = 'provider_down', detail = 'no' WHERE id = ${id}
      `
      assert.include(yield* whyNot(refused), "refunded")
      const balance = yield* Testing.balanceOf(user)
      const payment_reference = `change:${id}`
      const refund = (reference: string) =>
        wallets.refund({ order_id, payment_reference, reference, description: "Refund" })
      assert.include(yield* whyNot(refund(payment_reference)), "refunded")
      yield* settled
      assert.include(yield* whyNot(refund("by another name")), "refunded")
      assert.deepStrictEqual(
        [(yield* changesOf(order_id)).map(({ status }) => status), yield* Testing.balanceOf(user)],
        [["applied"], balance]
      )
    })
  )
})
