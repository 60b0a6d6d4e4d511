import { Effect, Option } from "effect"
import * as Money from "../platform/Money.ts"
import * as Sandbox from "./Sandbox.ts"
import { WalletsRepo } from "./WalletsRepo.ts"

/** Maximum number of wallets that a start reads. */
const mostWallets = 10_000

/** Logs the sandbox money that does not count while the sandbox is off, and the number of its accounts. */
export const report = Effect.gen(function* () {
  if (yield* Sandbox.enabled) return
  const repo = yield* WalletsRepo
  const found = Option.getOrUndefined(yield* repo.sandboxMoney(mostWallets))
  if (found === undefined || found.wallets === 0) return
  const sums = Money.Currency.literals
    .filter((currency) => found[currency] > 0n)
    .map((currency) => `${Money.toDecimal(currency, found[currency])} ${currency}`)
  const atLeast = found.wallets === mostWallets ? "at least " : ""
  yield* Effect.logInfo(
    `The sandbox is off, so its money does not count: ${atLeast}${sums.join(" and ")}, accounts: ${found.accounts} (docs/payments.md)`
  )
}).pipe(Effect.provide(WalletsRepo.layer))
