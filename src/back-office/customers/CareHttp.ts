import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { Text } from "../../platform/fields/Text.ts"
import { CustomerCare } from "../../staff/customers/CustomerCare.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import * as CareForms from "./CareForms.ts"
import { notePage, signOutPage } from "./CarePages.ts"

/** The forms that write a note about a customer, and that help with the sign-in. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const care = yield* CustomerCare
    const forms = yield* CareForms.make
    const { pathTo, take } = yield* AdminPages

    const note = yield* forms.page(router, "note", "customer.note", notePage)
    yield* router.add(
      "POST",
      note.path,
      take({
        fields: Schema.Struct({ text: Text(1, 2_000), key: Nonce }),
        messages: { text: text("care.note_wrong"), key: text("form.not_confirmed") },
        again: note.again,
        act: Effect.fnUntraced(function* (visit, given) {
          yield* care.note(visit.actor, given.key, yield* customerInPath, given.text)
          return yield* forms.customer(visit, { notice: text("care.note_done") })
        })
      })
    )

    const signOut = yield* forms.page(router, "sign-out", "customer.help", signOutPage)
    yield* router.add(
      "POST",
      signOut.path,
      take({
        ...CareForms.withReason,
        again: signOut.again,
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          yield* care.endSessions(visit.actor, key, yield* customerInPath, reason)
          return yield* forms.customer(visit, { notice: text("care.sign_out_done") })
        })
      })
    )

    yield* router.add(
      "POST",
      pathTo("customers/:id/verification"),
      take({
        fields: Schema.Struct({ key: Nonce }),
        messages: { key: text("form.not_confirmed") },
        again: (visit: AdminVisit, faults: Faults) => forms.customer(visit, { faults }),
        act: Effect.fnUntraced(function* (visit, { key }) {
          yield* care.resendVerification(visit.actor, key, yield* customerInPath)
          return yield* forms.customer(visit, { notice: text("care.resend_done") })
        })
      })
    )
  })
)
