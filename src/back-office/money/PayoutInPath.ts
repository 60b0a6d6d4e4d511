import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { PayoutView } from "../../staff/money/PayoutView.ts"
import { NothingThere } from "../desk/NothingThere.ts"

const isId = Schema.is(PayoutView.fields.id)

/** The id of the withdrawal in the path of the request. */
export const payoutInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new NothingThere())
)
