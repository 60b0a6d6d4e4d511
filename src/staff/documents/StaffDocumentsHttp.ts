import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffDocuments } from "./StaffDocuments.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminDocuments",
  Effect.fnUntraced(function* (handlers) {
    const documents = yield* StaffDocuments

    return handlers.handleAll({
      listDocuments: Effect.fnUntraced(function* ({ query: { limit, ...filter } }) {
        return yield* documents.search(yield* Actor, filter, limit)
      }),
      getIssuedDocument: Effect.fnUntraced(function* ({ params }) {
        const { paper: _, ...view } = yield* documents.find(yield* Actor, params.number)
        return view
      }),
      reissueDocument: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const answered = documents.reissue(actor, headers["idempotency-key"], params.number, payload.reason)
        return StaffActionApi.answer(yield* answered)
      })
    })
  })
)
