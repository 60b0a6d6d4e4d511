import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { PayoutId } from "../../wallet/payouts/Payout.ts"
import { Actor } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffPayouts } from "./StaffPayouts.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminPayouts",
  Effect.fnUntraced(function* (handlers) {
    const payouts = yield* StaffPayouts

    return handlers.handleAll({
      listPayouts: Effect.fnUntraced(function* ({ query: { after, limit, ...filter } }) {
        const from = after === undefined ? filter : { ...filter, after: PayoutId.make(after) }
        return Keyset.pageOf(yield* payouts.list(yield* Actor, from, limit + 1), limit)
      }),
      getPayout: ({ params }) => Effect.flatMap(Actor, (actor) => payouts.get(actor, params.payout_id)),
      approvePayout: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const answered = payouts.approve(actor, headers["idempotency-key"], params.payout_id, payload.reason)
        return StaffActionApi.answer(yield* answered)
      }),
      sendPayout: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const answered = payouts.send(actor, headers["idempotency-key"], params.payout_id, payload)
        return StaffActionApi.answer(yield* answered)
      }),
      declinePayout: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const answered = payouts.decline(actor, headers["idempotency-key"], params.payout_id, payload)
        return StaffActionApi.answer(yield* answered)
      })
    })
  })
)
