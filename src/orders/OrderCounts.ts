import { Schema } from "effect"

const count = (example: number) => Schema.Int.annotate({ examples: [example] })

/** Number of an account's proxies in each status; `total` counts all orders of the account. */
export const OrderCounts = Schema.Struct({ active: count(3), expiring: count(1), expired: count(8), total: count(12) })
export type OrderCounts = typeof OrderCounts.Type
