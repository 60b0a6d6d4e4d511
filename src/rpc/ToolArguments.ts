import { Schema } from "effect"
import { OrderId } from "../orders/Order.ts"
import { defaultPeriodDays, type WantedOrder } from "../orders/checkout/OrderRequest.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"

/** The arguments of a tool that takes none: up to 20 that are sent all the same are ignored. */
export const noArguments = Schema.Record(Schema.String, Schema.Unknown).check(Schema.isMaxProperties(20))

export const order_id = OrderId.annotate({
  description: "The `id` of one of your orders: a UUID, as list_my_orders and create_proxy_order answer it"
})

export const offer_id = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
  description: "The `id` of an offer from list_offers"
})

/** A position in the options of an offer. */
export const tarification_index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))

/** Left out is not the same as the default written out, which only fits an offer that has it. */
export const period_days = (maximum: number) =>
  optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })), {
    default: defaultPeriodDays,
    description:
      "How long to rent: one of the periods in the offer's options. Left out: 30, or the shortest period of an offer that is not sold for 30 days. With tarification_index that option decides: the default counts for nothing, and another period than the option's is refused"
  })

/** An order without the default period that stands beside a tariff, which has a period of its own. */
export const chosen = <Order extends Pick<WantedOrder, "period_days" | "tarification_index">>({
  period_days,
  ...order
}: Order) =>
  period_days === undefined || (order.tarification_index !== undefined && period_days === defaultPeriodDays)
    ? order
    : { ...order, period_days }

export const response_format = withDefault(
  Schema.Literals(["csv", "json"]),
  "csv",
  "`csv`: a table with a header row (RFC 4180), the shortest answer. `json`: an object, with totals"
)

/** A page of a list: `maximum` rows at most. */
export const page = (maximum: number, fallback: number) => ({
  limit: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })),
    fallback,
    `How many rows to answer, at most ${maximum}`
  ),
  offset: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })),
    0,
    "How many rows to skip: add `limit` for the next page; a page with fewer rows than `limit` is the last"
  )
})

/** Of every tool that spends. */
export const purchase = {
  idempotency_key: Text(1, 255).annotate({
    description:
      "Any string that is unique to this purchase, such as a UUID: choose one before the first call and send the same one with every retry. A retry answers the stored result (`replayed` true) and charges nothing; the same key with other arguments is refused with 409. Kept for 24 hours"
  }),
  confirm: withDefault(
    Schema.Boolean,
    false,
    "false: a dry run that charges nothing and answers the price. true: buys, and takes the money at once"
  )
}
