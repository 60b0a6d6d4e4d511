import { Schema } from "effect"
import type { Currency } from "../../platform/Money.ts"
import type { Buyer } from "./Invoice.ts"
import type { TaxRate } from "./TaxRate.ts"
import { TaxScheme, type TaxSetting } from "./TaxSetting.ts"

/** The rule by which a document is taxed. */
export const Tax = Schema.Struct({
  scheme: TaxScheme,
  country: Schema.NullOr(Schema.String),
  /** Basis points: 1900 is 19 %. */
  rate_bp: Schema.Int,
  /** The operator's words of the rate. */
  note: Schema.NullOr(Schema.String),
  /** True: the buyer owes the tax. */
  reverse_charge: Schema.Boolean
})
export type Tax = typeof Tax.Type

const none: Tax = { scheme: "off", country: null, rate_bp: 0, note: null, reverse_charge: false }

/**
 * Finds the rule for a buyer. A business of another country whose number staff have checked owes the tax itself. A country
 * without a rate is not taxed. Undefined: the seller's own country has no rate yet.
 */
export const taxFor = (
  { country: own, scheme }: TaxSetting,
  { country, is_checked }: Pick<Buyer, "country" | "is_checked">,
  rateOf: (country: string) => Pick<TaxRate, "rate_bp" | "note"> | undefined
): Tax | undefined => {
  if (scheme === "off" || own === null) return none
  if (is_checked && country !== null && country !== own)
    return { scheme, country, rate_bp: 0, note: null, reverse_charge: true }
  const ownRate = rateOf(own)
  if (ownRate === undefined) return undefined
  const place = scheme === "destination" ? (country ?? own) : own
  const { note, rate_bp } = (place === own ? ownRate : rateOf(place)) ?? { note: null, rate_bp: 0 }
  return { scheme, country: place, rate_bp, note, reverse_charge: false }
}

/** The step of an amount of tax: a cent, or a star. */
const steps: Record<Currency, bigint> = { USD: 10_000n, STAR: 1n }

/** Takes the tax out of a gross amount, to the nearest cent or star, halves up. */
export const taxIn = (currency: Currency, gross: bigint, rate_bp: number): bigint => {
  const [rate, step] = [BigInt(rate_bp), steps[currency]]
  const whole = (10_000n + rate) * step
  return ((2n * gross * rate + whole) / (2n * whole)) * step
}

interface Credited {
  readonly currency: Currency
  readonly rate_bp: number
  /** The amount that earlier credit notes took back. */
  readonly credited: bigint
  readonly credited_tax: bigint
}

/** The tax of the next credit note over `amount`. All notes of an invoice together have the tax of their sum. */
export const taxOfCredit = (amount: bigint, { credited, credited_tax, currency, rate_bp }: Credited): bigint => {
  const tax = taxIn(currency, credited + amount, rate_bp) - credited_tax
  if (tax < 0n) return 0n
  return tax > amount ? amount : tax
}
