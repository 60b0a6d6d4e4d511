import { Schema, SchemaGetter } from "effect"

/** A vendor's balance in dollars, a number or a decimal text, as micro-dollars. It may be below zero. */
export const Balance = Schema.Union([Schema.Finite, Schema.FiniteFromString])
  .check(Schema.makeFilter((dollars) => Number.isSafeInteger(Math.round(dollars * 1_000_000))))
  .pipe(
    Schema.decodeTo(Schema.BigInt, {
      decode: SchemaGetter.transform((dollars) => BigInt(Math.round(dollars * 1_000_000))),
      encode: SchemaGetter.transform((micros) => Number(micros) / 1_000_000)
    })
  )

/** Converts dollars to micro-dollars. Undefined: not a positive price. */
export const fromDollars = (dollars: number): bigint | undefined => {
  const micros = Math.round(dollars * 1_000_000)
  return Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : undefined
}
