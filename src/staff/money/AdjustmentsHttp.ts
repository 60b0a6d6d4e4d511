import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { AdjustmentId } from "../../wallet/adjustments/Adjustment.ts"
import { Actor } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffAdjustments } from "./StaffAdjustments.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminAdjustments",
  Effect.fnUntraced(function* (handlers) {
    const adjustments = yield* StaffAdjustments

    const decided =
      (decision: "approve" | "decline") =>
      ({ headers, params }: { headers: { "idempotency-key": string }; params: { adjustment_id: AdjustmentId } }) =>
        Effect.gen(function* () {
          const actor = yield* Actor
          const answered = adjustments.decide(actor, headers["idempotency-key"], params.adjustment_id, decision)
          return StaffActionApi.answer(yield* answered)
        })

    return handlers.handleAll({
      listAdjustments: Effect.fnUntraced(function* ({ query: { after, limit, ...filter } }) {
        const from = after === undefined ? filter : { ...filter, after: AdjustmentId.make(after) }
        return Keyset.pageOf(yield* adjustments.list(from, limit + 1), limit)
      }),
      getAdjustment: ({ params }) => adjustments.get(params.adjustment_id),
      createAdjustment: Effect.fnUntraced(function* ({ headers, payload }) {
        const actor = yield* Actor
        return StaffActionApi.answer(yield* adjustments.create(actor, headers["idempotency-key"], payload))
      }),
      revokeAdjustment: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* adjustments.revoke(actor, key, params.adjustment_id, payload))
      }),
      approveAdjustment: decided("approve"),
      declineAdjustment: decided("decline")
    })
  })
)
