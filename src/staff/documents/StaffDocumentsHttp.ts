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
        const rows = yield* documents.search(yield* Actor, filter, limit + 1)
        const items = rows.slice(0, limit)
        return { items, next: rows.length > limit ? (items.at(-1)?.number ?? null) : null }
      }),
      getDocument: ({ params }) => Effect.flatMap(Actor, (actor) => documents.get(actor, params.number)),
      reissueDocument: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const answered = documents.reissue(actor, headers["idempotency-key"], params.number, payload.reason)
        return StaffActionApi.answer(yield* answered)
      })
    })
  })
)
