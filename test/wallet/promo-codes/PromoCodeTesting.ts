import { Array as Arr, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { PromoCodes } from "../../../src/wallet/promo-codes/PromoCodes.ts"
import * as OrderRows from "../../support/OrderRows.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

/** Promo codes over a separate database with one offer, number 1. */
export const layer = Layer.mergeAll(
  PromoCodes.layer,
  PromoCodeRegistry.layer,
  Layer.effectDiscard(OrderRows.offer)
).pipe(Layer.provideMerge(TestDatabase.layer))

let codes = 0

/** A code of 20 percent, once per account and without another limit, unless `terms` differ. */
export const newCode = Effect.fnUntraced(function* (
  terms: Partial<Parameters<PromoCodeRegistry["Service"]["add"]>[0]> = {}
) {
  const registry = yield* PromoCodeRegistry
  return yield* registry.add({
    code: `CODE-${++codes}`,
    kind: "percent",
    value: 20n,
    valid_from: null,
    expires_at: null,
    use_limit: null,
    account_limit: 1,
    offer_ids: null,
    ...terms
  })
})

/** Orders of the only offer, at 1.50 USD or 100 stars each. */
export const saleOf = (user_id: UserId, code: string, quantity = 1) =>
  ({
    user_id,
    code,
    offer_id: 1,
    currency: "USD",
    unit_price: 1_500_000n,
    unit_price_usd: 1_500_000n,
    quantity
  }) as const

const insertOrder = Effect.fnUntraced(function* (id: string, user_id: UserId, promo_code_id: string, discount: bigint) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO proxy_order ${sql.insert({
    ...OrderRows.paidOrder(id, user_id, yield* DateTime.now),
    total: 1_500_000n - discount,
    total_usd: 1_500_000n - discount,
    discount,
    discount_usd: discount,
    promo_code_id
  })}`
})

/** Places orders with a code in one transaction, as a purchase does; returns their ids. */
export const buy = Effect.fnUntraced(function* (user_id: UserId, code: string, quantity = 1) {
  const atomically = yield* Atomically
  const promoCodes = yield* PromoCodes
  const ids = Arr.makeBy(quantity, () => randomUUID())
  return yield* atomically(
    Effect.gen(function* () {
      const { orders, promo_code_id } = yield* promoCodes.redeem({ ...saleOf(user_id, code, quantity), order_ids: ids })
      for (const [index, id] of ids.entries())
        yield* Effect.orDie(insertOrder(id, user_id, promo_code_id, orders[index]?.discount ?? 0n))
      return ids
    })
  )
})
