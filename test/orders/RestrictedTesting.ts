import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { RestrictionRoundsRepo } from "../../src/orders/checkout/RestrictionRoundsRepo.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import { AccountClosureRepo } from "../../src/orders/proxies/AccountClosureRepo.ts"
import { ProxyEnd } from "../../src/orders/proxies/ProxyEnd.ts"
import { ProxyStopsRepo } from "../../src/orders/proxies/ProxyStopsRepo.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { layer as changing } from "./changes/ProxyChangeTesting.ts"

/** The services of the jobs that follow a restriction. */
export const jobs = Layer.mergeAll(
  AccountClosureRepo.layer,
  ProxyEnd.layer,
  ProxyStopsRepo.layer,
  Restrictions.layer,
  RestrictionRoundsRepo.layer
)
export const domain = Layer.provideMerge(jobs, changing)

export const place = Effect.fnUntraced(function* (user: UserId, fields: object = {}) {
  return yield* OrderPlacement.use((placement) =>
    Effect.flatMap(Testing.request(fields), (request) => placement.place(Testing.session(user), request, undefined))
  )
})

/** The login and the addresses of a proxy at its vendor. */
export const accessOf = (id: OrderId) =>
  Effect.map(MemoryProvider, ({ leases }) => {
    const { logins, proxy } = leases.get(id) ?? assert.fail("no proxy")
    return { logins, whitelisted_ips: proxy.whitelisted_ips }
  })

export const stopsOf = (id: OrderId) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ task: string; detail: string | null; is_done: boolean }>`
      SELECT task, detail, try_at IS NULL AS is_done FROM proxy_stop WHERE order_id = ${id}
    `
  )

/** The payments and refunds of an account. */
export const ledgerOf = (user: UserId) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ transaction_type: string; amount: bigint }>`
        SELECT transaction_type, amount FROM wallet_transaction
        WHERE user_id = ${user} AND transaction_type IN ('payment', 'refund') ORDER BY seq
      `
    ),
    (rows) => rows.map(({ amount }) => amount)
  )
