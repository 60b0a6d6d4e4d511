import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as RunInBatches from "../platform/postgres/RunInBatches.ts"
import type { PaymentIntentId } from "../wallet/PaymentIntent.ts"
import type { Order, OrderId } from "./Order.ts"
import type { OrderCounts } from "./OrderCounts.ts"
import { OrderNotFound, OrderNotYours } from "./OrderErrors.ts"
import type { Chosen, ProxyFilter } from "./OrderFilter.ts"
import { OrderListsRepo } from "./OrderListsRepo.ts"
import { locate } from "./OrderPage.ts"
import { isPlain, type OrderSearch } from "./OrderSearch.ts"
import { OrderSearchRepo } from "./OrderSearchRepo.ts"
import { OrdersRepo, type PaidOrder } from "./OrdersRepo.ts"
import type { ListedOrderRow, OrderDetailsRow } from "./OrderView.ts"

/** The orders of an account. */
export class Orders extends Context.Service<
  Orders,
  {
    readonly get: (owner: UserId, id: OrderId) => Effect.Effect<Order, OrderNotFound | OrderNotYours>
    /** Reads only the columns that the details of an order need. */
    readonly details: (owner: UserId, id: OrderId) => Effect.Effect<OrderDetailsRow, OrderNotFound | OrderNotYours>
    /** Returns the orders in the order of `ids`. Fails unless all of them exist and are the owner's. */
    readonly several: (owner: UserId, ids: ReadonlyArray<OrderId>) => Effect.Effect<ReadonlyArray<Order>, OrderNotFound>
    /** Newest first, if `search` does not sort otherwise; `total` counts all matches. */
    readonly list: (
      owner: UserId,
      search: Chosen<OrderSearch>,
      page: Page
    ) => Effect.Effect<{ readonly orders: ReadonlyArray<ListedOrderRow>; readonly total: number }>
    /** Replaces the private notes of an order; an empty text removes them. */
    readonly setNotes: (
      owner: UserId,
      id: OrderId,
      notes: string
    ) => Effect.Effect<ListedOrderRow, OrderNotFound | OrderNotYours>
    /** The ids of such a list. */
    readonly find: (
      owner: UserId,
      search: OrderSearch,
      page: Page
    ) => Effect.Effect<{ readonly ids: ReadonlyArray<OrderId>; readonly total: number }>
    /** The countries of the account's newest orders, sorted. */
    readonly countries: (owner: UserId) => Effect.Effect<ReadonlyArray<string>>
    /** The orders that a payment from outside pays for, at most 100, oldest first. Empty once they are removed. */
    readonly ofPayment: (id: PaymentIntentId) => Effect.Effect<ReadonlyArray<PaidOrder>>
    readonly cancelled: (owner: UserId) => Effect.Effect<number>
    readonly counts: (owner: UserId, filter: Pick<ProxyFilter, "proxy_type">) => Effect.Effect<OrderCounts>
  }
>()("app/orders/Orders") {
  static readonly layerNoDeps = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const repo = yield* OrdersRepo
      const lists = yield* OrderListsRepo
      const searches = yield* OrderSearchRepo

      const owned = Effect.fnUntraced(function* <A extends Pick<Order, "user_id">>(
        owner: UserId,
        find: Effect.Effect<Option.Option<A>>
      ) {
        const order = yield* find
        if (Option.isNone(order)) return yield* new OrderNotFound()
        if (order.value.user_id !== owner) return yield* new OrderNotYours()
        return order.value
      })

      /** Concurrent requests share a statement: most of its cost does not depend on the number of orders. */
      const findDetails = yield* RunInBatches.make({ run: repo.findDetails, itemsAtMost: 64, concurrency: 2 })

      const several = Effect.fn("Orders.several")(function* (owner: UserId, ids: ReadonlyArray<OrderId>) {
        const found = new Map((yield* repo.findMany(ids)).map((order) => [order.id, order]))
        const orders = ids.flatMap((id) => found.get(id) ?? [])
        const isWhole = orders.length === ids.length && orders.every(({ user_id }) => user_id === owner)
        return isWhole ? orders : yield* new OrderNotFound()
      })

      const list = Effect.fnUntraced(function* (owner: UserId, search: Chosen<OrderSearch>, page: Page) {
        if (!isPlain(search)) {
          const { ids, total } = yield* searches.find(owner, search, page)
          return { orders: yield* searches.read(owner, ids), total }
        }
        const months = yield* lists.months(owner, search)
        const total = months.reduce((sum, { orders }) => sum + orders, 0)
        const found = locate(months, page)
        return { orders: found === undefined ? [] : yield* lists.page(owner, search, found), total }
      })

      const counts = Effect.fn("Orders.counts")(function* (owner: UserId, filter: Pick<ProxyFilter, "proxy_type">) {
        const rows = yield* lists.countByProxyStatus(owner, filter)
        const of = (status: string) => rows.find((row) => row.proxy_status === status)?.orders ?? 0
        return {
          active: of("active"),
          expiring: of("expiring"),
          expired: of("expired"),
          total: rows.reduce((sum, { orders }) => sum + orders, 0)
        }
      })

      const cancelled = Effect.fn("Orders.cancelled")(function* (owner: UserId) {
        const rows = yield* lists.countByProxyStatus(owner, {})
        return rows.find(({ proxy_status }) => proxy_status === "cancelled")?.orders ?? 0
      })

      const setNotes = Effect.fn("Orders.setNotes")(function* (owner: UserId, id: OrderId, notes: string) {
        yield* owned(owner, findDetails(id))
        const changed = yield* repo.setNotes(id, notes === "" ? null : notes, yield* DateTime.now)
        return Option.isSome(changed) ? changed.value : yield* new OrderNotFound()
      })

      return Orders.of({
        get: (owner, id) => owned(owner, repo.find(id)),
        details: (owner, id) => owned(owner, findDetails(id)),
        several,
        list,
        setNotes,
        find: searches.find,
        countries: searches.countries,
        ofPayment: repo.ofPayment,
        cancelled,
        counts
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([OrdersRepo.layer, OrderListsRepo.layer, OrderSearchRepo.layer])
  )
}
