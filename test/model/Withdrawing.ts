import { assert } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Result } from "effect"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { PayoutId } from "../../src/wallet/payouts/Payout.ts"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../src/wallet/payouts/PayoutSettlement.ts"
import type { Model } from "./Model.ts"
import type { Decision } from "./Payouts.ts"

/** Fresh, because the service that the tests share has other terms. */
const services = Layer.fresh(Layer.mergeAll(Payouts.layer, PayoutSettlement.layer)).pipe(
  Layer.provide(
    ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PAYOUTS: "true", PAYOUT_MIN_USD: "1", PAYOUT_CARD_DAYS: "0" }))
  )
)

/** Another person than the one who gives money. */
const approver = { id: "bea", name: "Bea", role: "owner" } as const

const tagOf = Effect.map((made: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(made) ? made.failure._tag : undefined
)

/** The effect of withdrawals on a customer and on its model. */
export const make = (model: Model, user_id: UserId) => {
  let last: PayoutId | undefined

  const withdraw = Effect.fnUntraced(function* (cents: number) {
    const payouts = yield* Payouts
    const cash = Number((yield* payouts.offer(user_id)).cash) / 10_000
    assert.isAtMost(cash, Math.max(0, model.balance), "money that can be withdrawn")
    const id = PayoutId.make(randomUUID())
    const asked = { id, user_id, amount: BigInt(cents) * 10_000n, destination: "A bank account" }
    const refusal = yield* tagOf(Effect.result(payouts.request({ ...asked, password: undefined, otp: undefined })))
    assert.strictEqual(refusal, model.payouts.ask(cents, cash))
    if (refusal === undefined) last = id
  }, Effect.provide(services))

  const decide = Effect.fnUntraced(function* (decision: Decision) {
    if (last === undefined) return
    const settlement = yield* PayoutSettlement
    const payouts = yield* Payouts
    const acts = {
      approve: settlement.approve(approver, last),
      send: settlement.send(approver, last, "A transfer"),
      decline: settlement.decline(approver, last, "The model"),
      cancel: payouts.cancel(user_id, last)
    }
    const refusal = yield* tagOf(Effect.result<unknown, { readonly _tag: string }, never>(acts[decision]))
    assert.strictEqual(refusal, model.payouts.decide(decision))
    const { status } = yield* Effect.orDie(settlement.find(last))
    assert.strictEqual(status, model.payouts.last === "taken back" ? "declined" : model.payouts.last)
  }, Effect.provide(services))

  return { withdraw, decide }
}
