import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffTaxes } from "./StaffTaxes.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminTaxes",
  Effect.fnUntraced(function* (handlers) {
    const taxes = yield* StaffTaxes

    return handlers.handleAll({
      listTaxRates: () => Effect.map(Effect.flatMap(Actor, taxes.rates), (items) => ({ items })),
      recordTaxRate: Effect.fnUntraced(function* ({ headers, payload: { reason, ...rate } }) {
        const actor = yield* Actor
        return StaffActionApi.answer(yield* taxes.recordRate(actor, headers["idempotency-key"], rate, reason))
      }),
      listTaxNumbers: () => Effect.map(Effect.flatMap(Actor, taxes.numbers), (items) => ({ items })),
      checkTaxNumber: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const actor = yield* Actor
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* taxes.checkNumber(actor, key, params.customer_id, payload))
      })
    })
  })
)
