import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { StaffPayments } from "./StaffPayments.ts"
import { foundPaymentView, staffPaymentView } from "./StaffPaymentView.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminPayments",
  Effect.fnUntraced(function* (handlers) {
    const payments = yield* StaffPayments

    return handlers.handleAll({
      listPayments: Effect.fnUntraced(function* ({ query: { after, limit, q, ...filter } }) {
        const page = { limit, ...(after !== undefined && { after }) }
        const { items, next } = yield* payments.list(yield* Actor, { ...filter, words: q }, page)
        return { items: items.map(foundPaymentView), next }
      }),
      getPayment: Effect.fnUntraced(function* ({ params }) {
        return staffPaymentView(yield* payments.get(yield* Actor, params.payment_id))
      }),
      lookUpPayment: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        const { answer, replayed } = yield* payments.lookUp(yield* Actor, key, params.payment_id, payload.reason)
        return StaffActionApi.answer({ answer: staffPaymentView(answer), replayed })
      }),
      getPaymentCallback: Effect.fnUntraced(function* ({ params }) {
        return yield* payments.body(yield* Actor, params.callback_id)
      })
    })
  })
)
