import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import { OrderCare } from "../../src/orders/care/OrderCare.ts"
import { OrderCareRepo } from "../../src/orders/care/OrderCareRepo.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import { OrderRefunds } from "../../src/orders/refunds/OrderRefunds.ts"
import { ProxyEnd } from "../../src/orders/proxies/ProxyEnd.ts"
import type { Role } from "../../src/staff/Role.ts"
import { Adjustments } from "../../src/wallet/adjustments/Adjustments.ts"
import { StaffOrderWork, type Work } from "../../src/staff/orders/StaffOrderWork.ts"
import { layer as domain, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actorOf, newStaff } from "./StaffTesting.ts"

export const services = Layer.mergeAll(
  Adjustments.layer,
  StaffOrderWork.layer,
  OrderCare.layer,
  OrderCareRepo.layer,
  OrderRefunds.layer,
  ProxyEnd.layer,
  Restrictions.layer
).pipe(Layer.provideMerge(domain))

export const reason = "The site blocks it"

export const actor = (role: Role = "support") => Effect.map(newStaff(role), (id) => actorOf(id, role))

export const work = Effect.fnUntraced(function* (id: OrderId, given: Work, key: string = randomUUID()) {
  return yield* StaffOrderWork.use((desk) => Effect.flatMap(actor(), (by) => desk.work(by, key, id, given)))
})

export const refused = (id: OrderId, given: Work) => Effect.map(Effect.flip(work(id, given)), ({ _tag }) => _tag)

export const eventsOf = (id: OrderId) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ outcome: string; reason: string; kind: string }>`
      SELECT outcome, reason, after ->> 'kind' AS kind FROM audit_event WHERE subject_id = ${id} ORDER BY id
    `
  )

/** Buys a proxy whose first call has this outcome. */
export const bought = Effect.fnUntraced(function* (behaviour: "unavailable" | "drop" | "time_out" | "succeed") {
  const memory = yield* MemoryProvider
  memory.next(behaviour)
  return { ...(yield* proxy("Datacenter")), memory }
})

/** Makes the proxies of the provider in memory those of the operator's own gateway. */
export const asOwn = Effect.flatMap(MemoryProvider, ({ provider }) =>
  Effect.acquireRelease(
    Effect.sync(() => Object.assign(provider, { isOwn: true })),
    () => Effect.sync(() => Reflect.deleteProperty(provider, "isOwn"))
  )
)

export const extend = (days: number): Work => ({ action: "extend", time: { days }, reason })
