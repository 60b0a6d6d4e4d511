import { Context, Effect, Layer, Option } from "effect"
import * as Money from "../../platform/Money.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { type LimitAmounts, LimitName, type StaffLimit } from "../../wallet/adjustments/StaffLimit.ts"
import { StaffLimits } from "../../wallet/adjustments/StaffLimits.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import type { StepUpNeeded } from "../StaffErrors.ts"
import { limitAmounts, type LimitView } from "./LimitView.ts"

type By = Actor["Service"]

/** The amounts of a limit as text. */
export type LimitTexts = Pick<LimitView, keyof typeof limitAmounts>

const parts = Object.keys(limitAmounts) as ReadonlyArray<keyof typeof limitAmounts>

/** Every limit that there can be. */
const names: ReadonlyArray<LimitName> = LimitName.fields.role.literals.flatMap((role) =>
  LimitName.fields.action.literals.flatMap((action) =>
    LimitName.fields.currency.literals.map((currency) => ({ role, action, currency }))
  )
)

const isSame = (one: LimitName, other: LimitName) =>
  one.role === other.role && one.action === other.action && one.currency === other.currency

const nothing: LimitAmounts = { per_action: null, per_customer_30d: null, per_staff_day: null }

const textsOf = (currency: Money.Currency, amounts: LimitAmounts): LimitTexts => {
  const text = (amount: bigint | null) => (amount === null ? null : Money.toDecimal(currency, amount))
  return {
    per_action: text(amounts.per_action),
    per_customer_30d: text(amounts.per_customer_30d),
    per_staff_day: text(amounts.per_staff_day)
  }
}

const viewOf = ({ action, currency, role }: LimitName, found: LimitAmounts | undefined): LimitView => ({
  role,
  action,
  currency,
  is_alone: found !== undefined,
  ...textsOf(currency, found ?? nothing)
})

/** Reads the amounts of a limit; refuses zero, and parts of a star. */
const amountsIn = Effect.fnUntraced(function* (currency: Money.Currency, texts: LimitTexts) {
  const amounts: { -readonly [Part in keyof LimitAmounts]: bigint | null } = { ...nothing }
  for (const part of parts) {
    const text = texts[part]
    const amount = text === null ? null : Money.fromDecimal(currency, text)
    if (amount === undefined || (amount !== null && amount <= 0n))
      return yield* RequestInvalid.at(
        ["body", part],
        "Expected more than zero, with at most six decimals for dollars and none for stars"
      )
    amounts[part] = amount
  }
  return amounts
})

/** The amounts that each role moves alone, for staff. Each change needs a fresh confirmation and is in the audit log. */
export class LimitDesk extends Context.Service<
  LimitDesk,
  {
    /** Every limit, also those that are not on record. */
    readonly list: (actor: By) => Effect.Effect<ReadonlyArray<LimitView>, PermissionNeeded>
    /** Null: a second person must always agree. */
    readonly set: (
      actor: By,
      name: LimitName,
      texts: LimitTexts | null,
      reason: string
    ) => Effect.Effect<LimitView, PermissionNeeded | RequestInvalid | StepUpNeeded>
  }
>()("app/staff/LimitDesk") {
  static readonly layerNoDeps = Layer.effect(
    LimitDesk,
    Effect.gen(function* () {
      const audit = yield* Audit
      const guard = yield* Guard.make
      const limits = yield* StaffLimits

      const list = Effect.fn("LimitDesk.list")(function* (actor: By) {
        yield* needs(actor, "limit.read")
        const all: ReadonlyArray<StaffLimit> = yield* limits.all
        return names.map((name) =>
          viewOf(
            name,
            all.find((one) => isSame(one, name))
          )
        )
      })

      const set = Effect.fn("LimitDesk.set")(function* (
        actor: By,
        name: LimitName,
        texts: LimitTexts | null,
        reason: string
      ) {
        const subject = { kind: "staff_limit", id: `${name.role} ${name.action} ${name.currency}` }
        const act = Effect.gen(function* () {
          const amounts = texts === null ? null : yield* amountsIn(name.currency, texts)
          const before = Option.getOrUndefined(yield* limits.set(name, amounts))
          const shown = (found: LimitAmounts | undefined) =>
            found === undefined ? { state: "never alone" } : { state: "alone", ...textsOf(name.currency, found) }
          const after = amounts ?? undefined
          yield* audit.record({
            actor,
            action: "limit.change",
            subject,
            reason,
            before: shown(before),
            after: shown(after)
          })
          return viewOf(name, after)
        })
        return yield* guard.allowFresh({ actor, permission: "limit.change", subject }, act)
      })

      return LimitDesk.of({ list, set })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, StaffLimits.layer]))
}
