import { type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { ProxySync } from "../../../src/orders/proxies/ProxySync.ts"
import * as ProxySyncRounds from "../../../src/orders/proxies/ProxySyncRounds.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"

/** An order, and functions to observe it. */
export const ordered = Effect.fnUntraced(function* (fields: object = {}) {
  const caller = yield* Testing.buyer(100_000_000n)
  const memory = yield* MemoryProvider
  const placement = yield* OrderPlacement
  const { orders } = yield* placement.place(caller, yield* Testing.request(fields), undefined)
  const id = OrderId.make(orders[0]?.id ?? "")
  const row = Orders.use((orders) => orders.get(caller.user_id, id))
  const { provider_proxy_id } = yield* row
  const sql = yield* SqlClient.SqlClient
  /** The kinds of the owner's notices; true when the text names the support. */
  const told = Effect.map(
    sql<{ kind: string; message: string }>`
      SELECT kind, message FROM notification WHERE user_id = ${caller.user_id} ORDER BY id
    `,
    (notices) => notices.map(({ kind, message }) => [kind, message.includes("contact support")])
  )
  return { id, user_id: caller.user_id, row, told, memory, asked: () => memory.count("get", provider_proxy_id ?? "") }
})

export const syncAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), ProxySyncRounds.run)

/** One round with other providers. */
export const runWith = (...all: ReadonlyArray<ProxyProvider>) => {
  const providers = Providers.layerOf(...all)
  const sync = Layer.fresh(ProxySync.layer).pipe(Layer.provide(providers))
  return Effect.provide(ProxySyncRounds.run, Layer.merge(sync, providers))
}
