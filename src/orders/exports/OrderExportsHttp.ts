import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { exportAnswer } from "./ExportAnswer.ts"
import { OrderExports } from "./OrderExports.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "order-exports",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* OrderExports

    return handlers.handle(
      "export",
      Effect.fnUntraced(function* ({ query }) {
        const { format, limit, offset, template, ...search } = query
        if (template !== undefined && format !== "txt")
          return yield* RequestInvalid.at(["query", "template"], "Only the format txt has a template")
        const { user_id } = yield* Caller
        const options = { page: { limit, offset }, key: `account:${user_id}` }
        return exportAnswer(yield* exports.ofList(user_id, search, { format, template }, options))
      })
    )
  })
)
