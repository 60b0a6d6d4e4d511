import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { text } from "../../pages/Html.ts"
import * as Money from "../../platform/Money.ts"
import { needs } from "../../staff/Actor.ts"
import { Customers } from "../../staff/customers/Customers.ts"
import { StaffAdjustments } from "../../staff/money/StaffAdjustments.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { AmountRefused } from "../desk/AmountRefused.ts"
import { creditPage } from "./CreditPage.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import { customerPage } from "../customers/CustomerPage.ts"
import * as MoneyFields from "../desk/MoneyFields.ts"
import { moneyOutcome } from "./MoneyOutcome.ts"
import * as ReadCustomer from "../desk/ReadCustomer.ts"

const Credit = Schema.Struct({
  kind: Schema.Literals(["goodwill", "credit", "debit"]),
  currency: Money.Currency,
  amount: MoneyFields.Amount,
  ...MoneyFields.schema
})

/** The form that credits or debits a customer. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const adjustments = yield* StaffAdjustments
    const customers = yield* Customers
    const read = yield* ReadCustomer.make
    const { pathTo, show, take } = yield* AdminPages

    const showForm = (visit: AdminVisit, typed: MoneyFields.Typed = {}) =>
      Effect.gen(function* () {
        yield* needs(visit.actor, "adjustment.goodwill")
        return creditPage(visit, yield* customers.get(visit.actor, yield* customerInPath), randomUUID(), typed)
      })

    yield* router.add(
      "GET",
      pathTo("customers/:id/credit"),
      show((visit) => showForm(visit))
    )
    yield* router.add(
      "POST",
      pathTo("customers/:id/credit"),
      take({
        fields: Credit,
        messages: {
          kind: text("credit.kind_wrong"),
          currency: text("topup.currency_wrong"),
          amount: text("credit.amount_wrong"),
          ...MoneyFields.messages
        },
        again: (visit, faults, { field }) => showForm(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, ...given }) {
          const { actor } = visit
          const user_id = yield* customerInPath
          const outcome = yield* adjustments
            .create(actor, key, { ...given, user_id })
            .pipe(Effect.catchTag("RequestInvalid", () => new AmountRefused()))
          return customerPage(visit, yield* read(actor, user_id), moneyOutcome(outcome))
        })
      })
    )
  })
)
