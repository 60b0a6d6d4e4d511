import { Data } from "effect"

/** The amount is zero, or it has parts that the currency does not have. */
export class AmountRefused extends Data.TaggedError("AmountRefused")<{}> {
  readonly status = 422
  readonly field = "amount"
  readonly detail = "Enter more than zero, with at most six decimals for dollars and none for stars"
}
