import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { PauseDesk } from "./PauseDesk.ts"
import { ProviderDesk } from "./ProviderDesk.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminProviders",
  Effect.fnUntraced(function* (handlers) {
    const pauses = yield* PauseDesk
    const providers = yield* ProviderDesk
    return handlers.handleAll({
      listProviders: Effect.fnUntraced(function* () {
        const actor = yield* Actor
        return { items: yield* providers.list(actor), pauses: yield* pauses.open(actor) }
      }),
      listProviderOffers: ({ params, query }) =>
        Effect.flatMap(Actor, (actor) => providers.offers(actor, params.provider, query)),
      listSalesPauses: ({ query }) => Effect.flatMap(Actor, (actor) => pauses.list(actor, query)),
      pauseSales: Effect.fnUntraced(function* ({ headers, payload }) {
        return StaffActionApi.answer(yield* pauses.place(yield* Actor, headers["idempotency-key"], payload))
      }),
      extendPause: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* pauses.extend(yield* Actor, key, params.pause_id, payload))
      }),
      resumeSales: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* pauses.lift(yield* Actor, key, params.pause_id, payload.reason))
      })
    })
  })
)
