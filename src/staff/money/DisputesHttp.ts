import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Disputes } from "../../wallet/payments/Disputes.ts"
import * as Keyset from "../Keyset.ts"
import { disputeView } from "./DisputeView.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminDisputes",
  Effect.fnUntraced(function* (handlers) {
    const disputes = yield* Disputes

    return handlers.handleAll({
      listDisputes: Effect.fnUntraced(function* ({ query: { limit, ...filter } }) {
        const found = yield* disputes.list(filter, limit + 1)
        return Keyset.pageOf(found.map(disputeView), limit)
      }),
      getDispute: ({ params }) => Effect.map(disputes.find(params.dispute_id), disputeView)
    })
  })
)
