import { Effect, Option } from "effect"
import * as Money from "../platform/Money.ts"
import * as Sandbox from "./Sandbox.ts"
import { WalletsRepo } from "./WalletsRepo.ts"

/** Wallets that are looked at: a start does not read them all. */
const most = 10_000

/** Logs how much sandbox money of how many accounts counts for nothing, since the sandbox is off. */
export const tell = Effect.gen(function* () {
  if (yield* Sandbox.enabled) return
  const repo = yield* WalletsRepo
  const found = Option.getOrUndefined(yield* repo.sandboxMoney(most))
  if (found === undefined || found.wallets === 0) return
  const sums = Money.Currency.literals
    .filter((currency) => found[currency] > 0n)
    .map((currency) => `${Money.toDecimal(currency, found[currency])} ${currency}`)
  const atLeast = found.wallets === most ? "at least " : ""
  yield* Effect.logInfo(
    `The sandbox is off, so its money does not count: ${atLeast}${sums.join(" and ")}, accounts: ${found.accounts} (docs/payments.md)`
  )
}).pipe(Effect.provide(WalletsRepo.layer))
