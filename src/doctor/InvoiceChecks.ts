import { Effect, Option, Result } from "effect"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as PaperFonts from "../wallet/invoices/PaperFonts.ts"
import * as TaxSetting from "../wallet/invoices/TaxSetting.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import { type Check, failed } from "./Check.ts"
import { DatabaseFacts } from "./DatabaseFacts.ts"

const setting = Effect.result(TaxSetting.load)

const seller: Check = {
  id: "invoices.seller",
  severity: "warning",
  run: Effect.gen(function* () {
    const [brand, tax] = [yield* Effect.result(BrandFolder.read), yield* setting]
    const hasFolder = Option.isSome(yield* Effect.orElseSucceed(BrandFolder.setting, () => Option.none()))
    // Other checks tell these faults.
    if (!hasFolder || Result.isFailure(brand) || Result.isFailure(tax)) return undefined
    if ((yield* RealMoney.gateways).length === 0) return undefined
    const needed = ["company", "address", ...(tax.success.scheme === "off" ? [] : (["tax_number"] as const))] as const
    const missing = needed.filter((field) => brand.success[field] === undefined)
    return missing.length === 0
      ? undefined
      : failed(`Real money is on, and invoices do not say who sells; set ${missing.join(", ")} in brand.json`)
  })
}

const letters: Check = {
  id: "invoices.letters",
  severity: "warning",
  run: Effect.gen(function* () {
    const brand = yield* Effect.result(BrandFolder.read)
    if (Result.isFailure(brand) || (yield* RealMoney.gateways).length === 0) return undefined
    const { address, company, name, tax_number } = brand.success
    const lacking = []
    for (const [field, text] of Object.entries({ name, company, address, tax_number }))
      if (text !== undefined && (yield* Effect.promise(() => PaperFonts.lacks(text)))) lacking.push(field)
    return lacking.length === 0
      ? undefined
      : failed(
          `Real money is on, and no document has a PDF file: its font lacks letters of ${lacking.join(", ")} in brand.json (docs/invoices.md)`
        )
  })
}

const rate: Check = {
  id: "invoices.rate",
  severity: "error",
  run: Effect.gen(function* () {
    const tax = yield* setting
    if (Result.isFailure(tax) || tax.success.country === null) return undefined
    const { country } = tax.success
    const { first_tax_days, first_unissued_day } = yield* DatabaseFacts.use(({ read }) => read)
    const first = first_tax_days[country]
    if (first === undefined)
      return failed(
        `TAX is on, and ${country} has no tax rate, so no invoice is issued; run tax record (docs/invoices.md)`
      )
    return first_unissued_day === null || first_unissued_day >= first
      ? undefined
      : failed(
          `A payment of ${first_unissued_day} waits for its document, and the tax rates of ${country} begin on ${first}; run tax record --from ${first_unissued_day} (docs/invoices.md)`
        )
  })
}

export const checks: ReadonlyArray<Check> = [seller, letters, rate]
