import { Schema } from "effect"
import { OrderId } from "../orders/Order.ts"
import { defaultPeriodDays, type WantedOrder } from "../orders/checkout/OrderRequest.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"

/** The arguments of a tool without arguments. The service ignores up to 20 unknown ones. */
export const noArguments = Schema.Record(Schema.String, Schema.Unknown).check(Schema.isMaxProperties(20))

export const order_id = OrderId.annotate({
  description: "The `id` of one of your orders, a UUID from list_my_orders or create_proxy_order"
})

export const offer_id = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
  description: "The `id` of an offer from list_offers"
})

/** A position in the options of an offer. */
export const tarification_index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))

/** Without a period the default applies only where the offer has it. A period of 30 fits only an offer with 30 days. */
export const period_days = (maximum: number) =>
  optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })), {
    default: defaultPeriodDays,
    description:
      "Rental period: one of the periods in the offer's options. Default: 30, or the shortest period when the offer has no 30 days. With tarification_index the option decides; a different period is refused"
  })

/** Removes the default period beside a tariff, because a tariff has its own period. */
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

/** The arguments of a page with at most `maximum` rows. */
export const page = (maximum: number, fallback: number) => ({
  limit: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })),
    fallback,
    `Number of rows in the answer, at most ${maximum}`
  ),
  offset: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })),
    0,
    "Number of rows to skip. Add `limit` for the next page; a page with fewer rows than `limit` is the last"
  )
})

/** The arguments of every tool that spends. */
export const purchase = {
  idempotency_key: Text(1, 255).annotate({
    description:
      "A string that is unique to this purchase, such as a UUID. Choose it before the first call and send the same one with every retry. A retry returns the stored result (`replayed` true) and charges nothing. The same key with other arguments gets 409. The service keeps keys for 24 hours"
  }),
  confirm: withDefault(
    Schema.Boolean,
    false,
    "false: a dry run that charges nothing and returns the price. true: buys, and charges immediately"
  )
}
