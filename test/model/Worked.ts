import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { OrderCare } from "../../src/orders/care/OrderCare.ts"
import { ProxyChangeId } from "../../src/orders/changes/ProxyChange.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import type { Order } from "./Account.ts"
import * as Given from "./Given.ts"
import type { Model } from "./Model.ts"

const loginOf = (id: string) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ username: string; password: string }>`SELECT username, password FROM proxy_order WHERE id = ${id}`
    ),
    (logins) => logins
  )

const owner = { id: "ada", name: "Ada", role: "owner" } as const

/** Gifts of staff to an order of a customer, on the service and on the model. */
export const make = (model: Model) =>
  Effect.fnUntraced(
    function* (order: Order, what: "replace" | "give") {
      const care = yield* OrderCare
      const { leases } = yield* MemoryProvider
      const atomically = yield* Atomically
      const id = OrderId.make(order.id)
      const before = yield* loginOf(id)
      const wanted = { replace: { action: "replace" }, give: { action: "extend", time: { months: 1 } } } as const
      const given = { id: ProxyChangeId.make(randomUUID()), by: owner, reason: "The model" }
      const begun = yield* Effect.result(atomically(care.begin(id, wanted[what], given)))
      const refusal = Result.isFailure(begun) ? begun.failure._tag : undefined
      assert.strictEqual(refusal, (what === "give" ? Given.give : Given.replace)(model, order))
      if (refusal !== undefined) return
      yield* care.finish(id, wanted[what].action)
      const after = yield* loginOf(id)
      assert.deepStrictEqual(leases.get(id)?.logins, [...after], "only the login that the order shows")
      assert.strictEqual(JSON.stringify(before) === JSON.stringify(after), what === "give")
    },
    (effect) => Effect.provide(effect, OrderCare.layer)
  )
