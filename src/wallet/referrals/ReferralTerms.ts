import { Config } from "effect"
import { integer } from "../../platform/settings/IntegerSetting.ts"

/** The share of a referred payment, and the days that it is held; most refunds and disputes come sooner. */
export const load = Config.all({
  percent: integer("REFERRAL_SHARE_PERCENT", 0, 100).pipe(Config.withDefault(10)),
  hold_days: integer("REFERRAL_HOLD_DAYS", 0, 365).pipe(Config.withDefault(14))
})
