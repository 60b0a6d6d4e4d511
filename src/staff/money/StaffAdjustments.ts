import { Context, Effect, Layer, type Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type * as Money from "../../platform/Money.ts"
import { type Adjustment, type AdjustmentFilter, AdjustmentId } from "../../wallet/adjustments/Adjustment.ts"
import { type AdjustmentRefused, Adjustments, type Recorded } from "../../wallet/adjustments/Adjustments.ts"
import type * as Decide from "../../wallet/adjustments/Decide.ts"
import type { MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import type { Permission } from "../Permissions.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import * as StepUp from "../StepUp.ts"
import { AdjustmentView, adjustmentView } from "./AdjustmentView.ts"
import * as KeyedMoney from "./KeyedMoney.ts"
import * as MoneyText from "./MoneyText.ts"

interface Reasons {
  readonly reason_code: string
  readonly reason: string
  readonly customer_text?: string | null
}

export interface NewAdjustment extends Reasons {
  readonly kind: "goodwill" | "credit" | "debit"
  readonly user_id: UserId
  readonly currency: Money.Currency
  readonly amount: string
  readonly order_id?: string | null
}

export interface NewRevocation extends Reasons {
  /** Absent: all that is left. */
  readonly amount?: string | null
}

interface Answered {
  readonly answer: typeof AdjustmentView.Type
  readonly replayed: boolean
}

type By = Actor["Service"]
type Failure = AdjustmentRefused | ActionKeyReused | PermissionNeeded

const shown = ({ amount, cause, currency, status }: typeof AdjustmentView.Type) => ({ amount, cause, currency, status })

const make = Effect.gen(function* () {
  const adjustments = yield* Adjustments
  const keyed = yield* KeyedMoney.make

  const once = <E extends { readonly detail: unknown }>(
    actor: By,
    key: string,
    named: { readonly action: Permission; readonly operation: string; readonly content: Schema.Json },
    act: Effect.Effect<Recorded<Adjustment>, E>
  ) =>
    keyed(
      { ...named, actor, key, kind: "adjustment", answer: AdjustmentView },
      shown,
      Effect.map(act, ({ record }) => adjustmentView(record))
    )

  const create = Effect.fn("StaffAdjustments.create")(function* (actor: By, key: string, given: NewAdjustment) {
    const { amount: text, kind, order_id = null, ...rest } = given
    const isGoodwill = kind === "goodwill"
    const action = isGoodwill ? "adjustment.goodwill" : "adjustment.correct"
    const amount = yield* MoneyText.amountIn(given.currency, text)
    const act = adjustments.create(MoneyText.moneyActor(actor), {
      ...rest,
      order_id,
      customer_text: given.customer_text ?? null,
      id: AdjustmentId.make(key.toLowerCase()),
      cause: isGoodwill ? "goodwill" : "correction",
      amount: kind === "debit" ? -amount : amount
    })
    return yield* once(actor, key, { action, operation: "createAdjustment", content: { ...given } }, act)
  })

  const revoke = Effect.fn("StaffAdjustments.revoke")(function* (
    actor: By,
    key: string,
    revokes: AdjustmentId,
    given: NewRevocation
  ) {
    const { currency } = yield* adjustments.find(revokes)
    const amount = given.amount == null ? undefined : yield* MoneyText.amountIn(currency, given.amount)
    const customer_text = given.customer_text ?? null
    const id = AdjustmentId.make(key.toLowerCase())
    const act = adjustments.revoke(MoneyText.moneyActor(actor), { ...given, customer_text, id, revokes, amount })
    const named = {
      action: "adjustment.correct",
      operation: "revokeAdjustment",
      content: { revokes, ...given }
    } as const
    return yield* once(actor, key, named, act)
  })

  const decide = Effect.fn("StaffAdjustments.decide")(function* (
    actor: By,
    key: string,
    id: AdjustmentId,
    decision: "approve" | "decline"
  ) {
    yield* StepUp.needed(actor)
    const act = adjustments[decision](MoneyText.moneyActor(actor), id)
    const named = { action: "adjustment.approve", operation: "decideAdjustment", content: { id, decision } } as const
    return yield* once(actor, key, named, act)
  })

  return { create, revoke, decide }
})

/** Credits and debits as staff make them: by permission, once for a key, and on record in the audit log. */
export class StaffAdjustments extends Context.Service<
  StaffAdjustments,
  {
    /** The key becomes the id of the adjustment. */
    readonly create: (actor: By, key: string, given: NewAdjustment) => Effect.Effect<Answered, Failure | RequestInvalid>
    readonly revoke: (
      actor: By,
      key: string,
      id: AdjustmentId,
      given: NewRevocation
    ) => Effect.Effect<Answered, Failure | RequestInvalid>
    readonly decide: (
      actor: By,
      key: string,
      id: AdjustmentId,
      decision: "approve" | "decline"
    ) => Effect.Effect<Answered, Failure | Decide.NotDecided | StepUpNeeded>
    readonly get: (id: AdjustmentId) => Effect.Effect<typeof AdjustmentView.Type, MoneyRecordNotFound>
    readonly list: (filter: AdjustmentFilter, limit: number) => Effect.Effect<ReadonlyArray<typeof AdjustmentView.Type>>
  }
>()("app/staff/StaffAdjustments") {
  static readonly layerNoDeps = Layer.effect(
    StaffAdjustments,
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      return StaffAdjustments.of({
        ...(yield* make),
        get: (id) => Effect.map(adjustments.find(id), adjustmentView),
        list: (filter, limit) => Effect.map(adjustments.list(filter, limit), (all) => all.map(adjustmentView))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Adjustments.layer, Audit.layer, StaffActions.layer]))
}
