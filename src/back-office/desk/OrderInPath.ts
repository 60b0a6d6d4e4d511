import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { StaffOrder } from "../../staff/orders/StaffOrder.ts"
import { StaffOrderNotFound } from "../../staff/orders/StaffOrderErrors.ts"

const isId = Schema.is(StaffOrder.fields.id)

/** The id of the order in the path of the request. */
export const orderInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new StaffOrderNotFound())
)
