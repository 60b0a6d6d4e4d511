import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { parseAmount } from "./Deposit.ts"
import { Deposits } from "./Deposits.ts"
import { depositView } from "./PaymentsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "payments",
  Effect.fnUntraced(function* (handlers) {
    const deposits = yield* Deposits

    return handlers.handleAll({
      createDeposit: Effect.fnUntraced(function* ({ payload }) {
        const { user_id } = yield* Caller
        const amount =
          parseAmount(payload.currency, payload.amount) ??
          (yield* Effect.die("The contract accepted an invalid amount"))
        return depositView(yield* deposits.create(user_id, { ...payload, amount }))
      }),
      listDeposits: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        const { total, deposits: listed } = yield* deposits.list(user_id, query)
        return { deposits: listed.map(depositView), total, ...query }
      }),
      getDeposit: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return depositView(yield* deposits.get(user_id, params.deposit_id))
      })
    })
  })
)
