import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { needs } from "../../staff/Actor.ts"
import { payoutFields } from "../../staff/money/PayoutFields.ts"
import { StaffPayouts } from "../../staff/money/StaffPayouts.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { payoutInPath } from "./PayoutInPath.ts"
import { type PayoutAction, settlePayoutPage } from "./PayoutsPage.ts"

const { customer_text, reason, reference } = payoutFields

const common = { key: text("form.not_confirmed"), reason: text("money.reason_wrong") } as const

/** The forms that settle a withdrawal. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const payouts = yield* StaffPayouts

    const form = (action: PayoutAction) =>
      Effect.fnUntraced(function* (visit: AdminVisit, faults?: Faults, typed?: Submission) {
        yield* needs(visit.actor, "payout.settle")
        const payout = yield* payouts.get(visit.actor, yield* payoutInPath)
        const again = { ...(faults !== undefined && { faults }), ...(typed !== undefined && { typed }) }
        return settlePayoutPage(visit, payout, action, { key: randomUUID(), ...again })
      })

    const pathOf = (action: PayoutAction) => pathTo(`payouts/:id/${action}`)

    const done = ({ answer }: { readonly answer: { readonly id: string } }, action: PayoutAction) =>
      redirect(`${pathTo(`payouts/${answer.id}`)}?done=${action}`)

    for (const action of ["approve", "sent", "decline"] as const) {
      const shown = form(action)
      yield* router.add(
        "GET",
        pathOf(action),
        show((visit) => shown(visit))
      )
    }
    const approve = take({
      fields: Schema.Struct({ key: Nonce, reason }),
      messages: common,
      again: form("approve"),
      act: Effect.fnUntraced(function* ({ actor }, { key, reason }) {
        return done(yield* payouts.approve(actor, key, yield* payoutInPath, reason), "approve")
      })
    })
    const sent = take({
      fields: Schema.Struct({ key: Nonce, reason, reference }),
      messages: { ...common, reference: text("payouts.reference_wrong") },
      again: form("sent"),
      act: Effect.fnUntraced(function* ({ actor }, { key, ...given }) {
        return done(yield* payouts.send(actor, key, yield* payoutInPath, given), "sent")
      })
    })
    const decline = take({
      fields: Schema.Struct({ key: Nonce, reason, customer_text }),
      messages: { ...common, customer_text: text("payouts.customer_text_wrong") },
      again: form("decline"),
      act: Effect.fnUntraced(function* ({ actor }, { key, ...given }) {
        return done(yield* payouts.decline(actor, key, yield* payoutInPath, given), "decline")
      })
    })
    yield* router.add("POST", pathOf("approve"), approve)
    yield* router.add("POST", pathOf("sent"), sent)
    yield* router.add("POST", pathOf("decline"), decline)
  })
)
