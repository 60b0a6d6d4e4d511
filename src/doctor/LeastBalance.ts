import { Config } from "effect"
import { integer } from "../platform/settings/IntegerSetting.ts"

/** `VENDOR_BALANCE_MIN_USD`: the least money that the operator wants to have at each vendor, in micro-dollars. */
export const LeastBalance = Config.map(
  integer("VENDOR_BALANCE_MIN_USD", 0, 1_000_000),
  (dollars) => BigInt(dollars) * 1_000_000n
).pipe(Config.withDefault(50_000_000n))
