import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { PromoCodeDesk } from "./PromoCodeDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminPromoCodes",
  Effect.fnUntraced(function* (handlers) {
    const codes = yield* PromoCodeDesk
    return handlers.handleAll({
      listPromoCodes: ({ query }) => Effect.flatMap(Actor, (actor) => codes.list(actor, query)),
      listPromoCodeUses: ({ params, query }) =>
        Effect.flatMap(Actor, (actor) => codes.uses(actor, params.promo_code_id, query)),
      createPromoCode: Effect.fnUntraced(function* ({ headers, payload }) {
        return StaffActionApi.answer(yield* codes.create(yield* Actor, headers["idempotency-key"], payload))
      }),
      limitPromoCode: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* codes.limit(yield* Actor, key, params.promo_code_id, payload))
      }),
      endPromoCode: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* codes.end(yield* Actor, key, params.promo_code_id, payload.reason))
      })
    })
  })
)
