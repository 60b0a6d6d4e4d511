import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { BillingDetailsRepo } from "./BillingDetailsRepo.ts"
import { TaxNumberChanged } from "./InvoiceErrors.ts"
import type { SeenTaxNumber, TaxNumber } from "./TaxNumber.ts"
import type { NewTaxRate, TaxRate, TaxRateId } from "./TaxRate.ts"
import { TaxRatesRepo } from "./TaxRatesRepo.ts"

/** Limit of a list; an operator has fewer rates and checks the oldest numbers first. */
const listed = 1_000

/** The rates of countries and the tax numbers of businesses, which documents need. */
export class TaxRecords extends Context.Service<
  TaxRecords,
  {
    /** Every rate, by country, the newest first. */
    readonly rates: Effect.Effect<ReadonlyArray<TaxRate>>
    readonly recordRate: (id: TaxRateId, rate: NewTaxRate, by: string) => Effect.Effect<TaxRate>
    /** The tax numbers, first those that wait for a check. */
    readonly numbers: Effect.Effect<ReadonlyArray<TaxNumber>>
    readonly number: (user_id: UserId) => Effect.Effect<Option.Option<TaxNumber>>
    /** Says that a tax number is right (`by` checked it), or wrong (`by` is null). */
    readonly checkNumber: (
      user_id: UserId,
      seen: SeenTaxNumber,
      by: string | null
    ) => Effect.Effect<TaxNumber, TaxNumberChanged>
  }
>()("app/wallet/TaxRecords") {
  static readonly layerNoDeps = Layer.effect(
    TaxRecords,
    Effect.gen(function* () {
      const details = yield* BillingDetailsRepo
      const rates = yield* TaxRatesRepo

      return TaxRecords.of({
        rates: rates.list(listed),
        recordRate: Effect.fn("TaxRecords.recordRate")(function* (id, rate, by) {
          return yield* rates.insert(id, rate, by, yield* DateTime.now)
        }),
        numbers: details.taxNumbers(listed),
        number: details.taxNumber,
        checkNumber: Effect.fn("TaxRecords.checkNumber")(function* (user_id, seen, by) {
          const found = yield* details.check(user_id, seen, { at: yield* DateTime.now, by })
          return Option.getOrUndefined(found) ?? (yield* new TaxNumberChanged())
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([BillingDetailsRepo.layer, TaxRatesRepo.layer]))
}
