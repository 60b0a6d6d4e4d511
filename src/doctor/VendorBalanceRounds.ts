import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { LeastBalance } from "./LeastBalance.ts"
import { VendorBalances } from "./VendorBalances.ts"
import { VendorBalancesRepo } from "./VendorBalancesRepo.ts"

/** Stores the operator's money at each vendor. A balance that a vendor does not tell stays as it was. */
export const run = Effect.gen(function* () {
  const balances = yield* VendorBalances
  const repo = yield* VendorBalancesRepo
  const least = yield* LeastBalance
  const told = yield* balances.all
  const now = yield* DateTime.now
  yield* repo.keepOnly(told.map(({ name }) => name))
  for (const { balance, name } of told)
    if (typeof balance === "bigint") {
      const [isLow, isEnough] = [balance < least, balance * 10n >= least * 11n]
      yield* repo.store({ provider: name, balance, isLow, isEnough }, now)
    }
})

export const layer = Job.layer("VendorBalanceRounds", Schedule.spaced("10 minutes"), run).pipe(
  Layer.provide([VendorBalances.layer, VendorBalancesRepo.layer])
)
