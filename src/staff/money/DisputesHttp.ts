import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import * as Keyset from "../Keyset.ts"
import { StaffDisputes } from "./StaffDisputes.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminDisputes",
  Effect.fnUntraced(function* (handlers) {
    const disputes = yield* StaffDisputes

    return handlers.handleAll({
      listDisputes: Effect.fnUntraced(function* ({ query: { limit, ...filter } }) {
        return Keyset.pageOf(yield* disputes.list(filter, limit + 1), limit)
      }),
      getDispute: ({ params }) => disputes.get(params.dispute_id)
    })
  })
)
