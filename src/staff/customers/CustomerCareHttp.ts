import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exportAnswer } from "../../account-export/ExportAnswer.ts"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { collectExport } from "./CollectExport.ts"
import { CustomerCare } from "./CustomerCare.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminCustomerCare",
  Effect.fnUntraced(function* (handlers) {
    const care = yield* CustomerCare
    return handlers.handleAll({
      createCustomerNote: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* care.note(yield* Actor, key, params.customer_id, payload.text))
      }),
      resendVerificationMail: Effect.fnUntraced(function* ({ headers, params }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* care.resendVerification(yield* Actor, key, params.customer_id))
      }),
      endCustomerSessions: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* care.endSessions(yield* Actor, key, params.customer_id, payload.reason))
      }),
      exportCustomer: Effect.fnUntraced(function* ({ params, payload }) {
        const file = yield* care.export(yield* Actor, params.customer_id, payload.reason)
        return exportAnswer(yield* collectExport(file))
      }),
      eraseCustomer: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* care.erase(yield* Actor, key, params.customer_id, payload.reason))
      })
    })
  })
)
