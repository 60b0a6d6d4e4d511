import { Schema } from "effect"
import type { Cared } from "../../orders/care/OrderCare.ts"
import { UserId } from "../../accounts/User.ts"
import { OrderId } from "../../orders/Order.ts"
import { OrderStatus, ProxyStatus } from "../../orders/OrderStatus.ts"

const CareAction = Schema.Literals(["retry", "look_up", "release", "replace", "extend"])

/** An action that was begun. Its key answers it for ever. */
export const BegunWork = Schema.Struct({ id: Schema.String, order_id: OrderId, user_id: UserId, action: CareAction })
export type BegunWork = typeof BegunWork.Type

/** An action of staff on an order, and the order after it. */
export const OrderWorkView = Schema.Struct({
  ...BegunWork.fields,
  status: OrderStatus.annotate({ description: "The present status of the order" }),
  proxy_status: ProxyStatus,
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromString),
  host: Schema.NullOr(Schema.String),
  port: Schema.NullOr(Schema.Int),
  is_done: Schema.Boolean.annotate({
    description:
      "False while the provider has not answered yet, or has refused: read `outcome`, and the order again later"
  }),
  outcome: Schema.String.annotate({
    description:
      "`done`, `pending` (the service goes on by itself), `unknown` (the provider does not tell yet), or `refused`",
    examples: ["done"]
  }),
  detail: Schema.NullOr(Schema.String).annotate({ description: "The reason of a refusal" })
}).annotate({ identifier: "OrderWork" })
export type OrderWorkView = typeof OrderWorkView.Type

/** The work that an order allows now. */
export const OrderActionsView = Schema.Struct({
  order_id: OrderId,
  actions: Schema.Array(
    Schema.Struct({
      action: CareAction,
      is_possible: Schema.Boolean,
      reason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not possible now" })
    }).annotate({ identifier: "OrderAction" })
  ),
  extends_by: Schema.Literals(["days", "months"]).annotate({ description: "The unit of time that `extend` takes" }),
  spare_addresses: Schema.NullOr(Schema.Int).annotate({
    description: "The exit addresses that `replace` can choose from; null when it is not possible, or nobody knows"
  })
}).annotate({ identifier: "OrderActions" })

export const orderActionsView = ({
  extends_by,
  order,
  refusals,
  spare_addresses
}: Cared): typeof OrderActionsView.Type => ({
  order_id: order.id,
  extends_by,
  actions: CareAction.literals.map((action) => ({
    action,
    is_possible: refusals[action] === undefined,
    reason: refusals[action]?.detail ?? null
  })),
  spare_addresses
})
