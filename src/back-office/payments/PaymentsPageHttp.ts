import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import { CallbackNotFound } from "../../staff/payments/PaymentErrors.ts"
import { StaffPayment } from "../../staff/payments/StaffPayment.ts"
import { StaffPayments } from "../../staff/payments/StaffPayments.ts"
import { LookUpReason, PaymentWords } from "../../staff/payments/StaffPaymentsApi.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { paymentInPath } from "./PaymentInPath.ts"
import { callbackPage, lookUpPage, paymentPage } from "./PaymentPages.ts"
import { paymentsPage } from "./PaymentsPage.ts"

const perPage = 50

const isId = Schema.is(Schema.String.check(Schema.isUUID()))
const isWords = Schema.is(PaymentWords)
const isStatus = Schema.is(StaffPayment.fields.status)
const isMethod = Schema.is(StaffPayment.fields.payment_method)

/** The list of payments, the page of one, its look-up at the gateway, and raw callbacks. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const payments = yield* StaffPayments

    const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
      const given = (name: string) => visit.query.get(name)?.trim() ?? ""
      const filters = { q: given("q"), status: given("status"), method: given("method") }
      const after = visit.query.get("after")
      const isWrong = filters.q !== "" && !isWords(filters.q)
      const search = {
        words: filters.q === "" ? undefined : filters.q,
        status: isStatus(filters.status) ? filters.status : undefined,
        payment_method: isMethod(filters.method) ? filters.method : undefined
      }
      const page = { limit: perPage, ...(isId(after) && { after }) }
      const found = isWrong ? { items: [], next: null } : yield* payments.list(visit.actor, search, page)
      return paymentsPage(visit, filters, found)
    })

    const showForm = Effect.fnUntraced(function* (visit: AdminVisit, typed: Parameters<typeof lookUpPage>[3] = {}) {
      yield* needs(visit.actor, "payment.look_up")
      const found = yield* payments.get(visit.actor, yield* paymentInPath)
      return lookUpPage(visit, found, typed.field?.("key") ?? randomUUID(), typed)
    })

    const showOne = Effect.fnUntraced(function* (visit: AdminVisit) {
      return paymentPage(visit, yield* payments.get(visit.actor, yield* paymentInPath))
    })

    const showCallback = Effect.fnUntraced(function* (visit: AdminVisit) {
      const { id } = yield* HttpRouter.params
      if (!isId(id)) return yield* new CallbackNotFound()
      return callbackPage(visit, yield* payments.body(visit.actor, id))
    })

    yield* router.add("GET", pathTo("payments"), show(showAll))
    yield* router.add("GET", pathTo("payments/:id"), show(showOne))
    yield* router.add("GET", pathTo("payment-callbacks/:id"), show(showCallback))
    yield* router.add(
      "GET",
      pathTo("payments/:id/look-up"),
      show((visit) => showForm(visit))
    )
    yield* router.add(
      "POST",
      pathTo("payments/:id/look-up"),
      take({
        fields: Schema.Struct({ key: Nonce, reason: LookUpReason }),
        messages: { key: text("form.not_confirmed"), reason: text("work.reason_wrong") },
        again: (visit, faults, { field }) => showForm(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          const { answer } = yield* payments.lookUp(visit.actor, key, yield* paymentInPath, reason)
          return paymentPage(visit, answer, text("staff_payment.looked_up"))
        })
      })
    )
  })
)
