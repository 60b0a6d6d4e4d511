import { Config, Effect } from "effect"
import * as Setting from "../../platform/settings/IntegerSetting.ts"

const microsPerDollar = 1_000_000n

/** Amounts are whole cents. */
export const step = 10_000n

/**
 * The terms of withdrawals: whether customers may ask for them (`PAYOUTS`), the least amount (`PAYOUT_MIN_USD`), and the days
 * for which money of a card stays (`PAYOUT_CARD_DAYS`), because the owner of the card can dispute it.
 */
export const load = Effect.gen(function* () {
  return {
    areOffered: yield* Config.Boolean("PAYOUTS").pipe(Config.withDefault(false)),
    least: BigInt(yield* Setting.integer("PAYOUT_MIN_USD", 1, 10_000).pipe(Config.withDefault(10))) * microsPerDollar,
    card_days: yield* Setting.integer("PAYOUT_CARD_DAYS", 0, 730).pipe(Config.withDefault(120))
  }
})
