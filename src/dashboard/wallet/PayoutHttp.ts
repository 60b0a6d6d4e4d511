import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { WrongOtp } from "../../accounts/AccountErrors.ts"
import { Otp } from "../../accounts/second-factor/Otp.ts"
import { SecondFactors } from "../../accounts/second-factor/SecondFactors.ts"
import type { Faults } from "../../pages/Field.ts"
import type { Failure } from "../../pages/FormFaults.ts"
import { Nonce, TypedAmount } from "../../pages/FormSchemas.ts"
import { dollars } from "../../pages/Format.ts"
import { type Content, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import * as Money from "../../platform/Money.ts"
import { Destination, PayoutId } from "../../wallet/payouts/Payout.ts"
import { PayoutAboveCash, PayoutTooSmall } from "../../wallet/payouts/PayoutErrors.ts"
import { Payouts } from "../../wallet/payouts/Payouts.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"
import type { Visit } from "../desk/Visit.ts"
import { payoutPage } from "./PayoutPage.ts"

/** The number of requests that the page shows. */
const shownAtMost = 20

const Fields = Schema.Struct({
  ...PasswordForm.fields.fields,
  amount: TypedAmount.check(
    Schema.makeFilter((amount) => Money.fromDecimal("USD", amount) !== undefined || "Expected dollars")
  ),
  destination: Schema.Trim.pipe(Schema.decodeTo(Destination)),
  otp: Schema.optionalKey(Otp),
  nonce: Nonce
})

const messages = {
  ...PasswordForm.messages,
  amount: text("payout.amount_wrong"),
  destination: text("payout.destination_wrong"),
  otp: text("security.otp_missing"),
  nonce: text("form.not_confirmed")
} as const

const outcomes: Readonly<Record<string, Content>> = {
  requested: text("payout.is_requested"),
  cancelled: text("payout.is_cancelled")
}

const told = (failure: Failure): Faults => {
  if (failure instanceof WrongOtp) return { otp: text("code.wrong") }
  if (failure instanceof PayoutAboveCash)
    return { amount: text("payout.amount_above", { most: dollars(failure.details.left) }) }
  if (failure instanceof PayoutTooSmall)
    return { amount: text("payout.amount_below", { least: dollars(failure.details.least) }) }
  return PasswordForm.told(failure)
}

/** The page on which a customer asks for paid money of the wallet. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const factors = yield* SecondFactors
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const path = yield* pathOf("wallet/payout")
    const payouts = yield* Payouts

    const shown = Effect.fnUntraced(function* (visit: Visit, faults?: Faults, typed?: Submission) {
      return payoutPage(visit, {
        areOffered: payouts.areOffered,
        offer: yield* payouts.offer(visit.user.id),
        needsCode: yield* factors.isOn(visit.user.id),
        payouts: yield* payouts.list(visit.user.id, shownAtMost),
        id: randomUUID(),
        amount: typed?.field("amount"),
        destination: typed?.field("destination"),
        faults,
        notice: faults === undefined ? outcomes[visit.query.get("outcome") ?? ""] : undefined
      })
    })

    const request = Effect.fnUntraced(function* ({ session_id, user }: Visit, given: typeof Fields.Type) {
      const { destination, nonce, otp, password } = given
      yield* limits.session("password", session_id)
      const amount = Money.fromDecimal("USD", given.amount) ?? 0n
      yield* payouts.request({ id: PayoutId.make(nonce), user_id: user.id, amount, destination, password, otp })
      return redirect(`${path}?outcome=requested`)
    })

    const cancel = Effect.fnUntraced(function* ({ user }: Visit) {
      yield* payouts.cancel(user.id, yield* idInPath("payout_id", PayoutId))
      return redirect(`${path}?outcome=cancelled`)
    })

    yield* router.add(
      "GET",
      path,
      pages.show((visit) => shown(visit))
    )
    yield* router.add("POST", path, pages.take({ fields: Fields, messages, again: shown, act: request, told }))
    yield* router.add("POST", `${path}/:payout_id/cancel`, pages.press(cancel))
  })
)
