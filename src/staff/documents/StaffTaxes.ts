import { Context, Effect, Layer, type Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { TaxNumberChanged } from "../../wallet/invoices/InvoiceErrors.ts"
import type { SeenTaxNumber, TaxNumber } from "../../wallet/invoices/TaxNumber.ts"
import { type NewTaxRate, type TaxRate, TaxRateId } from "../../wallet/invoices/TaxRate.ts"
import { TaxRecords } from "../../wallet/invoices/TaxRecords.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { TaxNumberView, TaxRateView } from "./TaxView.ts"

type By = Actor["Service"]

interface Answered<A> {
  readonly answer: A
  readonly replayed: boolean
}

export interface NumberCheck extends SeenTaxNumber {
  /** False also takes an earlier check back. */
  readonly is_right: boolean
  readonly reason: string
}

/** Tax rates of countries and tax numbers of businesses: by permission, once for a key, and on record in the audit log. */
export class StaffTaxes extends Context.Service<
  StaffTaxes,
  {
    /** Every rate, by country, the newest first. */
    readonly rates: (actor: By) => Effect.Effect<ReadonlyArray<TaxRate>, PermissionNeeded>
    /** The key becomes the id of the rate. */
    readonly recordRate: (
      actor: By,
      key: string,
      rate: NewTaxRate,
      reason: string
    ) => Effect.Effect<Answered<TaxRate>, ActionKeyReused | PermissionNeeded>
    /** The tax numbers, first those that wait for a check. */
    readonly numbers: (actor: By) => Effect.Effect<ReadonlyArray<TaxNumber>, PermissionNeeded>
    readonly number: (actor: By, user_id: UserId) => Effect.Effect<Option.Option<TaxNumber>, PermissionNeeded>
    readonly checkNumber: (
      actor: By,
      key: string,
      user_id: UserId,
      check: NumberCheck
    ) => Effect.Effect<Answered<TaxNumber>, ActionKeyReused | PermissionNeeded | TaxNumberChanged>
  }
>()("app/staff/StaffTaxes") {
  static readonly layerNoDeps = Layer.effect(
    StaffTaxes,
    Effect.gen(function* () {
      const actions = yield* StaffActions
      const audit = yield* Audit
      const guard = yield* Guard.make
      const records = yield* TaxRecords

      const recordRate = Effect.fn("StaffTaxes.recordRate")(function* (
        actor: By,
        key: string,
        rate: NewTaxRate,
        reason: string
      ) {
        const id = TaxRateId.make(key.toLowerCase())
        const subject = { kind: "tax_rate", id }
        const act = Effect.tap(records.recordRate(id, rate, actor.name.slice(0, 200)), () =>
          audit.record({ actor, action: "tax.change", subject, reason, after: { ...rate } })
        )
        const keyed = { actor, key, operation: "recordTaxRate", content: { ...rate, reason }, answer: TaxRateView }
        return yield* guard.allow({ actor, permission: "tax.change", subject }, actions.once(keyed, act))
      })

      const checkNumber = Effect.fn("StaffTaxes.checkNumber")(function* (
        actor: By,
        key: string,
        user_id: UserId,
        check: NumberCheck
      ) {
        const { is_right, reason, ...seen } = check
        const { tax_number } = seen
        const subject = { kind: "customer", id: user_id }
        const by = is_right ? actor.name.slice(0, 200) : null
        const act = Effect.tap(records.checkNumber(user_id, seen, by), () =>
          audit.record({ actor, action: "tax.change", subject, user_id, reason, after: { tax_number, is_right } })
        )
        const content = { user_id, ...check }
        const keyed = { actor, key, operation: "checkTaxNumber", content, answer: TaxNumberView }
        return yield* guard.allow({ actor, permission: "tax.change", subject, user_id }, actions.once(keyed, act))
      })

      return StaffTaxes.of({
        rates: (actor) => Effect.andThen(needs(actor, "document.read"), records.rates),
        recordRate,
        numbers: (actor) => Effect.andThen(needs(actor, "document.read"), records.numbers),
        number: (actor, user_id) => Effect.andThen(needs(actor, "document.read"), records.number(user_id)),
        checkNumber
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, StaffActions.layer, TaxRecords.layer]))
}
