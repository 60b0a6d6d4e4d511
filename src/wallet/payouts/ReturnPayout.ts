import { DateTime, Effect } from "effect"
import { descriptions } from "../EntryDescription.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"
import type { MoneyActor } from "../adjustments/MoneyActor.ts"
import type { Payout } from "./Payout.ts"
import { PayoutsRepo } from "./PayoutsRepo.ts"

/** The end of a request that returns its money. `by` is null when the customer cancels. */
interface Ending {
  readonly status: "declined" | "cancelled"
  readonly by: Pick<MoneyActor, "id" | "name"> | null
  readonly customer_text: string | null
}

/**
 * Returns the money of a request to its wallet, where it first covers what disputes did not find. The caller's transaction
 * has locked the wallets, then the request.
 */
export const make = Effect.gen(function* () {
  const debts = yield* ReversalDebts
  const repo = yield* PayoutsRepo
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* ({ amount, currency, id, user_id }: Payout, ending: Ending) {
    const return_id = yield* newTransactionId
    yield* wallets.credit({
      id: return_id,
      user_id,
      currency,
      amount,
      payment_method: "wallet",
      external_id: null,
      reference: `payout:${id}`,
      description: descriptions[ending.status === "declined" ? "payout_declined" : "payout_cancelled"],
      is_sandbox: false,
      cause: "payout_declined"
    })
    const ended = yield* repo.settle(id, { ...ending, reference: null, return_id }, yield* DateTime.now)
    yield* debts.collect({ user_id, currency, amount })
    return ended
  })
})
