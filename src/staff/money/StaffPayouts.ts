import { Context, Effect, Layer, Schema, SchemaGetter } from "effect"
import type { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import type { Payout, PayoutFilter, PayoutId } from "../../wallet/payouts/Payout.ts"
import type { CustomerStopped, OwnCredit, PayoutMoved, PayoutNotFound } from "../../wallet/payouts/PayoutErrors.ts"
import { PayoutSettlement } from "../../wallet/payouts/PayoutSettlement.ts"
import { type Actor, may, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import * as StepUp from "../StepUp.ts"
import * as KeyedMoney from "./KeyedMoney.ts"
import * as MoneyText from "./MoneyText.ts"
import { maskedPayout, PayoutView, payoutView } from "./PayoutView.ts"

interface Answered {
  readonly answer: typeof PayoutView.Type
  readonly replayed: boolean
}

type By = Actor["Service"]
type Failure = PayoutNotFound | PayoutMoved | ActionKeyReused | PermissionNeeded | StepUpNeeded

interface Sending {
  /** The transfer. */
  readonly reference: string
  readonly reason: string
}

interface Declining {
  /** The reason that the customer reads. */
  readonly customer_text: string
  readonly reason: string
}

const shown = ({ amount, currency, reference, status }: typeof PayoutView.Type) => ({
  amount,
  currency,
  status,
  ...(reference !== null && { reference })
})

/** The answer that the record of a key keeps: it outlives the account, so its destination is masked. */
const Kept = PayoutView.pipe(
  Schema.decodeTo(Schema.toType(PayoutView), {
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transform(maskedPayout)
  })
)

const shownTo = (actor: By) => (payout: Payout) =>
  may(actor, "payout.settle") ? payoutView(payout) : maskedPayout(payoutView(payout))

const make = Effect.gen(function* () {
  const keyed = yield* KeyedMoney.make
  const settlement = yield* PayoutSettlement

  const settle = Effect.fnUntraced(function* <E extends { readonly detail: unknown }>(
    actor: By,
    key: string,
    named: { readonly operation: string; readonly content: Schema.Json; readonly reason: string },
    act: Effect.Effect<Payout, E>
  ) {
    yield* StepUp.needed(actor)
    return yield* keyed(
      { ...named, actor, key, action: "payout.settle", kind: "payout", answer: Kept },
      shown,
      Effect.map(act, payoutView)
    )
  })

  const approve = Effect.fn("StaffPayouts.approve")((actor: By, key: string, id: PayoutId, reason: string) =>
    settle(
      actor,
      key,
      { operation: "approvePayout", content: { id, reason }, reason },
      settlement.approve(MoneyText.moneyActor(actor), id)
    )
  )

  const send = Effect.fn("StaffPayouts.send")((actor: By, key: string, id: PayoutId, given: Sending) =>
    settle(
      actor,
      key,
      { operation: "sendPayout", content: { id, ...given }, reason: given.reason },
      settlement.send(MoneyText.moneyActor(actor), id, given.reference)
    )
  )

  const decline = Effect.fn("StaffPayouts.decline")((actor: By, key: string, id: PayoutId, given: Declining) =>
    settle(
      actor,
      key,
      { operation: "declinePayout", content: { id, ...given }, reason: given.reason },
      settlement.decline(MoneyText.moneyActor(actor), id, given.customer_text)
    )
  )

  return { approve, send, decline }
})

/** Withdrawals of customers as staff settle them: by permission, once for a key, and on record in the audit log. */
export class StaffPayouts extends Context.Service<
  StaffPayouts,
  {
    readonly approve: (
      actor: By,
      key: string,
      id: PayoutId,
      reason: string
    ) => Effect.Effect<Answered, Failure | CustomerStopped | LimitReached | OwnCredit>
    /** Says by which transfer the money of an approved request was sent. */
    readonly send: (
      actor: By,
      key: string,
      id: PayoutId,
      given: Sending
    ) => Effect.Effect<Answered, Failure | CustomerStopped>
    readonly decline: (actor: By, key: string, id: PayoutId, given: Declining) => Effect.Effect<Answered, Failure>
    /** Masked for staff who do not send the money. */
    readonly get: (actor: By, id: PayoutId) => Effect.Effect<typeof PayoutView.Type, PayoutNotFound>
    readonly list: (
      actor: By,
      filter: PayoutFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<typeof PayoutView.Type>>
  }
>()("app/staff/StaffPayouts") {
  static readonly layerNoDeps = Layer.effect(
    StaffPayouts,
    Effect.gen(function* () {
      const settlement = yield* PayoutSettlement
      return StaffPayouts.of({
        ...(yield* make),
        get: (actor, id) => Effect.map(settlement.find(id), shownTo(actor)),
        list: (actor, filter, limit) => Effect.map(settlement.list(filter, limit), (all) => all.map(shownTo(actor)))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, PayoutSettlement.layer, StaffActions.layer])
  )
}
