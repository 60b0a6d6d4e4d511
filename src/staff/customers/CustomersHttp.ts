import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { CustomerRestrictions } from "./CustomerRestrictions.ts"
import { Customers } from "./Customers.ts"
import { customerView, foundView, restrictionView } from "./CustomerView.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminCustomers",
  Effect.fnUntraced(function* (handlers) {
    const customers = yield* Customers
    const restrictions = yield* CustomerRestrictions

    return handlers.handleAll({
      findCustomers: Effect.fnUntraced(function* ({ query }) {
        return { items: (yield* customers.find(yield* Actor, query.q)).map(foundView) }
      }),
      getCustomer: Effect.fnUntraced(function* ({ params }) {
        return customerView(yield* customers.get(yield* Actor, params.customer_id))
      }),
      listRestrictions: Effect.fnUntraced(function* ({ params, query }) {
        const { items, next } = yield* customers.restrictions(yield* Actor, params.customer_id, query)
        return { items: items.map(restrictionView), next }
      }),
      createRestriction: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const { until_at = null, ...chosen } = payload
        const key = headers["idempotency-key"]
        const wanted = { ...chosen, until_at }
        return StaffActionApi.answer(yield* restrictions.place(yield* Actor, key, params.customer_id, wanted))
      }),
      liftRestriction: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* restrictions.lift(yield* Actor, key, params.restriction_id, payload.reason))
      })
    })
  })
)
