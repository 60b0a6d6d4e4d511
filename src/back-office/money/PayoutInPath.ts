import { Data, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { PayoutView } from "../../staff/money/PayoutView.ts"

/** The address names nothing that exists. */
class NothingThere extends Data.TaggedError("NothingThere")<{ readonly status: 404; readonly detail: string }> {}

const isId = Schema.is(PayoutView.fields.id)

/** The id of the withdrawal in the path of the request. */
export const payoutInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id)
    ? Effect.succeed(id)
    : Effect.fail(new NothingThere({ status: 404, detail: "There is nothing at this address" }))
)
