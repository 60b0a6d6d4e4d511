import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import { Nonce, TypedAmount } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import * as Money from "../../platform/Money.ts"
import { faults as depositFaults, parseAmount } from "../../wallet/payments/Deposit.ts"
import { Deposits } from "../../wallet/payments/Deposits.ts"
import { SavedCards } from "../../wallet/auto-top-up/SavedCards.ts"
import type { OfferedMethod } from "../../wallet/payments/OfferedMethod.ts"
import { PaymentOutOfBounds } from "../../wallet/payments/PaymentOutOfBounds.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import * as AfterPayment from "../payments/AfterPayment.ts"
import { boundText } from "../payments/BoundText.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { amountFault, type TopUp, topUpPage } from "./TopUpPage.ts"

/** The deposit request of the API, with the amount as text. The box counts only with a card payment. */
const Fields = Schema.Struct({
  amount: TypedAmount,
  currency: Money.Currency,
  payment_method: PaymentMethod,
  save_card: Schema.optionalKey(Schema.Literal("on")),
  next: Schema.optionalKey(Schema.String),
  nonce: Nonce
}).check(
  Schema.makeFilter(({ amount, currency, payment_method }) => depositFaults({ amount, currency, payment_method }))
)

const messages = {
  amount: amountFault("USD", undefined),
  currency: text("topup.currency_wrong"),
  payment_method: text("topup.method_wrong"),
  save_card: text("form.not_confirmed"),
  next: text("form.not_confirmed"),
  nonce: text("form.not_confirmed")
} as const

/** The currency that is wanted if a payment method takes it, else the currency of the first method. */
const currencyFor = (methods: ReadonlyArray<OfferedMethod>, wanted: string | null | undefined): Money.Currency =>
  (methods.find(({ currency }) => currency === wanted) ?? methods[0])?.currency ?? "USD"

const told = (failure: Failure): Faults =>
  failure instanceof PaymentOutOfBounds ? { amount: boundText(failure.bound) } : faultsOf(failure)

/** Says for its currency what is wrong with an amount that is none. */
const inCurrency = (faults: Faults, { amount, currency }: Pick<TopUp, "currency" | "amount">): Faults =>
  faults["amount"] === messages.amount ? { ...faults, amount: amountFault(currency, amount) } : faults

/** The page that requests a payment into the wallet. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const after = yield* AfterPayment.make
    const { areOffered: areCardsOffered } = yield* SavedCards
    const deposits = yield* Deposits
    const idempotency = yield* Idempotency
    const pages = yield* Pages
    const payments = yield* Payments
    const path = yield* pathOf("wallet/top-up")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { query } = visit
      const methods = yield* payments.offered
      const currency = currencyFor(methods, query.get("currency"))
      const amount = query.get("amount") ?? undefined
      const next = AfterPayment.named(query.get("next"))
      const form = { areCardsOffered, methods, currency, amount, next, method: undefined, save_card: false }
      return topUpPage(visit, { ...form, nonce: randomUUID() })
    })

    const again = Effect.fnUntraced(function* (visit: Visit, faults: Faults, { field }: Submission) {
      const methods = yield* payments.offered
      const currency = currencyFor(methods, field("currency"))
      const typed = {
        areCardsOffered,
        methods,
        currency,
        amount: field("amount"),
        next: AfterPayment.named(field("next")),
        method: field("payment_method"),
        save_card: field("save_card") === "on"
      }
      return topUpPage(visit, { ...typed, nonce: randomUUID(), faults: inCurrency(faults, typed) })
    })

    /**
     * Requests one payment for each form. After a crash, a form that is sent again may request a second payment: it charges
     * nothing, and the first one expires.
     */
    const request = Effect.fnUntraced(function* (visit: Visit, { next, nonce, ...wanted }: typeof Fields.Type) {
      const { currency, payment_method } = wanted
      const save_card = wanted.save_card === "on" && payment_method === "card_gateway"
      const amount =
        parseAmount(currency, wanted.amount) ?? (yield* Effect.die(new Error("The form accepted an invalid amount")))
      const deposit = deposits.create(visit.user.id, { amount, currency, payment_method, save_card })
      const { answer } = yield* idempotency.perform(
        { user_id: visit.user.id, operation: "create_deposit", key: nonce, body: wanted },
        {
          reference: [],
          charge: Effect.void,
          finish: () => Effect.map(deposit, ({ payment_intent_id }) => payment_intent_id)
        }
      )
      const id = String(answer)
      const leading = redirect(visit.pathTo(`payments/${id}`))
      const kept = AfterPayment.named(next)
      return kept === undefined ? leading : after.keep(leading, id, kept)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Fields, messages, again, act: request, told }))
  })
)
