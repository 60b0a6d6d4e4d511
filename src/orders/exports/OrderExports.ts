import { Array as Arr, Context, Duration, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import { RateLimit, type RateLimited } from "../../platform/requests/RateLimit.ts"
import type { OrderId } from "../Order.ts"
import { Orders } from "../Orders.ts"
import type { OrderSearch } from "../OrderSearch.ts"
import { type ExportFile, exportFile, type ExportForm } from "./ExportFile.ts"
import { bytesAtMost, sizeOf } from "./ExportSize.ts"
import { ExportTooLarge } from "./ExportTooLarge.ts"
import { OrderExportsRepo } from "./OrderExportsRepo.ts"

/** The most proxies of one export. */
export const exportedAtMost = 10_000

/** The proxies that an export reads with one query. */
const atOnce = 1000

/** An export costs more than other requests. */
const rule = { name: "order-export", limit: 30, window: Duration.minutes(1) }

/**
 * Files with the proxies of an account and their logins, for programs and spreadsheets. A file that would be too large is
 * refused before its proxies are read.
 */
export class OrderExports extends Context.Service<
  OrderExports,
  {
    /**
     * Writes the proxies of a list. Without a status, these are the running ones. Counts as a use of `key`: at most 30 a
     * minute.
     */
    readonly ofList: (
      owner: UserId,
      search: OrderSearch,
      form: ExportForm,
      options: { readonly page: Page; readonly key: string }
    ) => Effect.Effect<ExportFile, RateLimited | ExportTooLarge>
    /** Writes these proxies of the account. Leaves out ids that are not the owner's, and orders without a proxy. */
    readonly ofOrders: (
      owner: UserId,
      ids: ReadonlyArray<OrderId>,
      form: ExportForm
    ) => Effect.Effect<ExportFile, RateLimited | ExportTooLarge>
  }
>()("app/orders/OrderExports") {
  static readonly layerNoDeps = Layer.effect(
    OrderExports,
    Effect.gen(function* () {
      const orders = yield* Orders
      const rateLimit = yield* RateLimit
      const repo = yield* OrderExportsRepo

      const write = Effect.fnUntraced(function* (owner: UserId, ids: ReadonlyArray<OrderId>, form: ExportForm) {
        const bytes = sizeOf(form, yield* repo.measure(owner, ids))
        if (bytes > bytesAtMost) return yield* new ExportTooLarge({ details: { bytes, bytes_at_most: bytesAtMost } })
        const rows = yield* Effect.forEach(Arr.chunksOf(ids, atOnce), (some) => repo.read(owner, some))
        return yield* exportFile(form, rows.flat())
      })

      const ofList = Effect.fn("OrderExports.ofList")(function* (
        owner: UserId,
        search: OrderSearch,
        form: ExportForm,
        { key, page }: { readonly page: Page; readonly key: string }
      ) {
        yield* rateLimit.enforce(rule, key)
        const hasStatus = search.status !== undefined || search.proxy_status !== undefined
        const { ids } = yield* orders.find(owner, hasStatus ? search : { ...search, status: "provisioned" }, page)
        return yield* write(owner, ids, form)
      })

      const ofOrders = Effect.fn("OrderExports.ofOrders")(function* (
        owner: UserId,
        ids: ReadonlyArray<OrderId>,
        form: ExportForm
      ) {
        yield* rateLimit.enforce(rule, `account:${owner}`)
        return yield* write(owner, ids, form)
      })

      return OrderExports.of({ ofList, ofOrders })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Orders.layer, OrderExportsRepo.layer]))
}
