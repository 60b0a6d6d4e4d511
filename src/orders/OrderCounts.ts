import { Schema } from "effect"

const count = (example: number) => Schema.Int.annotate({ examples: [example] })

/** How many of an account's proxies are in each status; `total` counts all its orders. */
export const OrderCounts = Schema.Struct({ active: count(3), expiring: count(1), expired: count(8), total: count(12) })
export type OrderCounts = typeof OrderCounts.Type
