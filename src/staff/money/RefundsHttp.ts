import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { AdminApi } from "../../AdminApi.ts"
import { OrderRefundId } from "../../orders/refunds/OrderRefund.ts"
import { Actor } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffRefunds } from "./StaffRefunds.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminRefunds",
  Effect.fnUntraced(function* (handlers) {
    const refunds = yield* StaffRefunds

    const decided =
      (decision: "approve" | "decline") =>
      ({ headers, params }: { headers: { "idempotency-key": string }; params: { refund_id: OrderRefundId } }) =>
        Effect.gen(function* () {
          const actor = yield* Actor
          const answered = refunds.decide(actor, headers["idempotency-key"], params.refund_id, decision)
          return StaffActionApi.answer(yield* answered)
        })

    return handlers.handleAll({
      previewRefund: ({ params }) => refunds.preview(params.order_id),
      rehearseRefund: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* refunds.rehearse(yield* Actor, randomUUID(), params.order_id, payload)
      }),
      createRefund: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* refunds.create(actor, key, params.order_id, payload))
      }),
      listRefunds: Effect.fnUntraced(function* ({ query: { after, limit, ...filter } }) {
        const from = after === undefined ? filter : { ...filter, after: OrderRefundId.make(after) }
        return Keyset.pageOf(yield* refunds.list(from, limit + 1), limit)
      }),
      getRefund: ({ params }) => refunds.get(params.refund_id),
      approveRefund: decided("approve"),
      declineRefund: decided("decline"),
      retryRefund: Effect.fnUntraced(function* ({ headers, params }) {
        const actor = yield* Actor
        return StaffActionApi.answer(yield* refunds.retry(actor, headers["idempotency-key"], params.refund_id))
      })
    })
  })
)
