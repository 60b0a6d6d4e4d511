import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import { RefundView } from "../../staff/money/RefundView.ts"
import { type NewRefund, StaffRefunds } from "../../staff/money/StaffRefunds.ts"
import * as MoneyText from "../../staff/money/MoneyText.ts"
import { StaffOrders } from "../../staff/orders/StaffOrders.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { AmountRefused } from "../desk/AmountRefused.ts"
import * as MoneyFields from "../desk/MoneyFields.ts"
import { moneyOutcome } from "../money/MoneyOutcome.ts"
import { orderInPath } from "../desk/OrderInPath.ts"
import { orderPage } from "./OrderPage.ts"
import { refundPage, refundReview } from "../money/RefundPage.ts"

const refundsShown = 20

const Yes = Schema.Literal("yes")

const Refund = Schema.Struct({
  kind: RefundView.fields.kind,
  destination: RefundView.fields.destination,
  amount: Schema.optionalKey(MoneyFields.Amount),
  /** The part that is left, as the form showed it. */
  share: MoneyText.Amount,
  ends_service: Schema.optionalKey(Yes),
  confirmed: Schema.optionalKey(Yes),
  ...MoneyFields.schema
})

const messages = {
  kind: text("credit.kind_wrong"),
  destination: text("refund.destination_wrong"),
  amount: text("credit.amount_wrong"),
  share: text("form.not_confirmed"),
  ends_service: text("form.not_confirmed"),
  confirmed: text("form.not_confirmed"),
  ...MoneyFields.messages
}

/** The content of a refund. The amount belongs to its kind: what was typed, what was shown, or none for all. */
const wanted = (given: typeof Refund.Type): NewRefund => {
  const { amount, confirmed: _, ends_service, key: __, share, ...rest } = given
  const amounts = { amount: amount ?? null, prorata: share, whole: null }
  return { ...rest, ends_service: ends_service === "yes", amount: amounts[given.kind] }
}

/** The fields that the page of the review sends again. */
const fieldsOf = (given: typeof Refund.Type) =>
  Object.entries(given).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))

/** The page of an order, and the form that refunds it. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const orders = yield* StaffOrders
    const refunds = yield* StaffRefunds
    const { pathTo, show, take } = yield* AdminPages

    const read = Effect.fnUntraced(function* ({ actor }: AdminVisit) {
      const order_id = yield* orderInPath
      const shown = yield* orders.get(actor, order_id)
      return { ...shown, refunds: yield* refunds.list({ order_id }, refundsShown) }
    })

    const showForm = (visit: AdminVisit, typed: MoneyFields.Typed = {}) =>
      Effect.gen(function* () {
        yield* needs(visit.actor, "refund.create")
        return refundPage(visit, yield* refunds.preview(yield* orderInPath), randomUUID(), typed)
      })

    yield* router.add(
      "GET",
      pathTo("orders/:id"),
      show((visit) => Effect.map(read(visit), (shown) => orderPage(visit, shown)))
    )
    yield* router.add(
      "GET",
      pathTo("orders/:id/refund"),
      show((visit) => showForm(visit))
    )
    yield* router.add(
      "POST",
      pathTo("orders/:id/refund"),
      take({
        fields: Refund,
        messages,
        again: (visit, faults, { field }) => showForm(visit, { faults, field }),
        act: Effect.fnUntraced(
          function* (visit, given) {
            const { actor } = visit
            const { key } = given
            const id = yield* orderInPath
            const refund = wanted(given)
            if (given.kind === "amount" && refund.amount === null) return yield* new AmountRefused()
            if (given.confirmed === undefined)
              return refundReview(visit, yield* refunds.rehearse(actor, key, id, refund), fieldsOf(given))
            const outcome = yield* refunds.create(actor, key, id, refund)
            return orderPage(visit, yield* read(visit), moneyOutcome(outcome))
          },
          Effect.catchTag("RequestInvalid", () => new AmountRefused())
        )
      })
    )
  })
)
