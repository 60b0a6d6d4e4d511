import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { reversals } from "../../src/cli/ReversalsCommand.ts"
import { PaymentReversals } from "../../src/wallet/payments/PaymentReversals.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "../wallet/payments/PaymentsTesting.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(
  reversals(Layer.mergeAll(AccountLookUp.layer, Layer.effect(PaymentReversals, PaymentReversals), recording))
)

layer(Layer.merge(services, NodeServices.layer))("reversals", (it) => {
  it.effect("list prints the reversals that stop accounts, and lift lets an account buy again", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      assert.strictEqual(yield* run("list"), "No refund or dispute stops an account")
      const stopped = Effect.fnUntraced(function* (kind: "refund" | "dispute", status: "announced" | "taken") {
        const { deposit, pay, user } = yield* deposited
        yield* pay()
        const intent = deposit.payment_intent_id
        const about = { charge_id: `charge_${intent}`, reversal_id: `re_${intent}`, kind, status, amount: 5n * dollar }
        yield* payments.receive("card_gateway", gateways.reverse(intent, about))
        return { line: `${user}\t${kind} re_${intent}\t${status}\tof card_gateway charge_${intent}`, user }
      })
      const one = yield* stopped("refund", "taken")
      const other = yield* stopped("dispute", "announced")
      const at = "1970-01-01T00:00:00.000Z"
      const lines = [`${one.line}\t5.00 USD\tshort 0.00\t${at}`, `${other.line}\t0.00 USD\tshort 0.00\t${at}`]
      assert.deepStrictEqual((yield* run("list")).split("\n").toSorted(), lines.toSorted())
      assert.strictEqual(yield* run(`lift ${one.user}`), `${one.user} may buy again (lifted: 1)`)
      assert.strictEqual(yield* run("list"), lines[1])
      assert.strictEqual(yield* run(`lift ${one.user}`), `failed: No refund or dispute stops the account ${one.user}`)
      const email = `${other.user}@example.com`
      assert.strictEqual(yield* run(`lift ${email.toUpperCase()}`), `${email} may buy again (lifted: 1)`)
      assert.strictEqual(yield* run("list"), "No refund or dispute stops an account")
      assert.deepStrictEqual(
        (yield* events).map(({ action, subject, user_id }) => [action, subject, user_id]),
        [one.user, other.user].map((user) => ["debt.settle", `customer ${user}`, user])
      )
    })
  )

  it.effect("list counts the claim of two reversals of one payment once", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { deposit, pay, user } = yield* deposited
      yield* pay()
      const intent = deposit.payment_intent_id
      for (const kind of ["dispute", "refund"] as const) {
        const about = { charge_id: `charge_${intent}`, reversal_id: `${kind}_${intent}`, status: "taken" } as const
        yield* payments.receive("card_gateway", gateways.reverse(intent, { ...about, kind, amount: null }))
      }
      const lines = (yield* run("list")).split("\n").filter((line) => line.startsWith(user))
      assert.lengthOf(lines, 2)
      for (const line of lines) assert.include(line, "\t25.00 USD\tshort 0.00\t")
    })
  )

  it.effect("lift explains an error and lifts nothing", () =>
    Effect.gen(function* () {
      const nobody = randomUUID()
      assert.strictEqual(yield* run(`lift ${nobody}`), `failed: No refund or dispute stops the account ${nobody}`)
      assert.include(yield* run("lift someone"), "Expected the id or the email of an account, got someone")
      assert.strictEqual(yield* run("lift nobody@example.com"), "failed: There is no account nobody@example.com")
      assert.match(yield* run("lift"), /^failed: .*account/s)
    })
  )
})
