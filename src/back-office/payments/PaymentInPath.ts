import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { StaffPaymentNotFound } from "../../staff/payments/PaymentErrors.ts"
import { StaffPayment } from "../../staff/payments/StaffPayment.ts"

const isId = Schema.is(StaffPayment.fields.id)

/** The id of the payment in the path of the request. */
export const paymentInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new StaffPaymentNotFound())
)
