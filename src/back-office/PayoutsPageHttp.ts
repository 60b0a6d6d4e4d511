import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../pages/Field.ts"
import { Nonce } from "../pages/FormSchemas.ts"
import { type Phrase, text } from "../pages/Html.ts"
import { redirect } from "../pages/PageAnswer.ts"
import type { Submission } from "../pages/Submissions.ts"
import { needs } from "../staff/Actor.ts"
import { payoutFields } from "../staff/money/PayoutFields.ts"
import { StaffPayouts } from "../staff/money/StaffPayouts.ts"
import { AdminPages } from "./AdminPages.ts"
import type { AdminVisit } from "./AdminVisit.ts"
import { payoutInPath } from "./PayoutInPath.ts"
import { type PayoutAction, payoutPage, payoutsPage, settlePayoutPage } from "./PayoutsPage.ts"

/** Limit of the withdrawals of each part of the page. */
const shownAtMost = 50

const { customer_text, reason, reference } = payoutFields

const common = { key: text("form.not_confirmed"), reason: text("money.reason_wrong") } as const

const outcomes: Readonly<Record<string, Phrase>> = {
  approve: text("payouts.now_approved"),
  sent: text("payouts.now_sent"),
  decline: text("payouts.now_declined")
}

const makePages = Effect.gen(function* () {
  const payouts = yield* StaffPayouts

  const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
    yield* needs(visit.actor, "payout.read")
    const waiting = yield* Effect.forEach(["requested", "approved"] as const, (status) =>
      payouts.list({ status }, shownAtMost)
    )
    return payoutsPage(visit, { waiting: waiting.flat(), newest: yield* payouts.list({}, shownAtMost) })
  })

  const found = Effect.fnUntraced(function* (visit: AdminVisit) {
    yield* needs(visit.actor, "payout.read")
    return yield* payouts.get(yield* payoutInPath)
  })

  const showOne = Effect.fnUntraced(function* (visit: AdminVisit) {
    return payoutPage(visit, yield* found(visit), outcomes[visit.query.get("done") ?? ""])
  })

  const settling = (action: PayoutAction) =>
    Effect.fnUntraced(function* (visit: AdminVisit, faults?: Faults, typed?: Submission) {
      yield* needs(visit.actor, "payout.settle")
      const again = { ...(faults !== undefined && { faults }), ...(typed !== undefined && { typed }) }
      return settlePayoutPage(visit, yield* found(visit), action, { key: randomUUID(), ...again })
    })

  return { settling, showAll, showOne }
})

/** The withdrawals of customers, and the forms that settle them. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const payouts = yield* StaffPayouts
    const { settling, showAll, showOne } = yield* makePages

    const done = ({ answer }: { readonly answer: { readonly id: string } }, action: PayoutAction) =>
      redirect(`${pathTo(`payouts/${answer.id}`)}?done=${action}`)

    yield* router.add("GET", pathTo("payouts"), show(showAll))
    yield* router.add("GET", pathTo("payouts/:id"), show(showOne))
    for (const action of ["approve", "sent", "decline"] as const) {
      const form = settling(action)
      yield* router.add(
        "GET",
        pathTo(`payouts/:id/${action}`),
        show((visit) => form(visit))
      )
    }
    yield* router.add(
      "POST",
      pathTo("payouts/:id/approve"),
      take({
        fields: Schema.Struct({ key: Nonce, reason }),
        messages: common,
        again: settling("approve"),
        act: Effect.fnUntraced(function* ({ actor }, { key, reason }) {
          return done(yield* payouts.approve(actor, key, yield* payoutInPath, reason), "approve")
        })
      })
    )
    yield* router.add(
      "POST",
      pathTo("payouts/:id/sent"),
      take({
        fields: Schema.Struct({ key: Nonce, reason, reference }),
        messages: { ...common, reference: text("payouts.reference_wrong") },
        again: settling("sent"),
        act: Effect.fnUntraced(function* ({ actor }, { key, ...given }) {
          return done(yield* payouts.send(actor, key, yield* payoutInPath, given), "sent")
        })
      })
    )
    yield* router.add(
      "POST",
      pathTo("payouts/:id/decline"),
      take({
        fields: Schema.Struct({ key: Nonce, reason, customer_text }),
        messages: { ...common, customer_text: text("payouts.customer_text_wrong") },
        again: settling("decline"),
        act: Effect.fnUntraced(function* ({ actor }, { key, ...given }) {
          return done(yield* payouts.decline(actor, key, yield* payoutInPath, given), "decline")
        })
      })
    )
  })
)
