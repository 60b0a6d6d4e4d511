import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { UserId } from "../../accounts/User.ts"
import { CustomerNotFound } from "../../staff/customers/CustomerErrors.ts"

const isId = Schema.is(UserId)

/** The id of the customer in the path of the request. */
export const customerInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new CustomerNotFound())
)
