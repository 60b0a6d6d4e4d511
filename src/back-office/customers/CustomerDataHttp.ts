import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { exportAnswer } from "../../account-export/ExportAnswer.ts"
import { text } from "../../pages/Html.ts"
import { CustomerCare } from "../../staff/customers/CustomerCare.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import * as CareForms from "./CareForms.ts"
import { customerExportPage, erasePage } from "./CarePages.ts"

/** The forms that download everything about a customer, and that erase the account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const care = yield* CustomerCare
    const forms = yield* CareForms.make
    const { take } = yield* AdminPages

    const file = yield* forms.page(router, "export", "customer.export", customerExportPage)
    yield* router.add(
      "POST",
      file.path,
      take({
        ...CareForms.withReason,
        again: file.again,
        act: Effect.fnUntraced(function* (visit, { reason }) {
          return exportAnswer(yield* care.export(visit.actor, yield* customerInPath, reason))
        })
      })
    )

    const erase = yield* forms.page(router, "erase", "customer.erase", erasePage)
    yield* router.add(
      "POST",
      erase.path,
      take({
        ...CareForms.withReason,
        again: erase.again,
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          yield* care.erase(visit.actor, key, yield* customerInPath, reason)
          return yield* forms.customer(visit, { notice: text("care.erase_done") })
        })
      })
    )
  })
)
