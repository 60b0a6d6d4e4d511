import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { disputes } from "../../src/cli/DisputesCommand.ts"
import { payouts } from "../../src/cli/PayoutsCommand.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { StaffPayouts } from "../../src/staff/money/StaffPayouts.ts"
import { Disputes } from "../../src/wallet/payments/Disputes.ts"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import { dollar } from "../wallet/adjustments/MoneyTesting.ts"
import * as PayoutTesting from "../wallet/payouts/PayoutTesting.ts"
import { runner } from "./CommandTesting.ts"

/** The transactions of the test's database. */
const transactions = Layer.effect(Atomically, Atomically)

const run = runner(payouts(Layer.merge(StaffPayouts.layer, transactions)))
const runDisputes = runner(disputes(Disputes.layer))

layer(Layer.merge(PayoutTesting.layer, NodeServices.layer))("payouts", (it) => {
  it.effect("lists, shows, approves and sends once for an id, and not in a rehearsal", () =>
    Effect.gen(function* () {
      const { balance, user } = yield* PayoutTesting.customer
      assert.strictEqual(yield* run("list"), "No withdrawals")
      const { id } = yield* Payouts.use((all) => all.request(PayoutTesting.asked(user)))
      assert.match(
        yield* run("list --status requested"),
        new RegExp(`^${id}\trequested\t40.00 USD\t${user}\t.*\tIBAN DE02`)
      )
      assert.match(yield* run(`show ${id}`), /^status\trequested$/m)
      assert.match(
        yield* run(`sent ${id} --reference SEPA-1 --reason checked`),
        /failed: .*does not allow this; status: requested/
      )
      assert.match(yield* run(`approve ${id} --reason checked --dry-run`), /^would be: \S+\tapproved/)
      assert.match(yield* run(`show ${id}`), /^status\trequested$/m)
      assert.match(yield* run(`approve ${id} --reason checked`), /\tapproved\t/)
      const sent = `sent ${id} --reference SEPA-1 --reason checked --id ${randomUUID()}`
      for (let time = 0; time < 2; time++) assert.match(yield* run(sent), /\tsent\t40.00 USD/)
      assert.match(yield* run(`show ${id}`), /^reference\tSEPA-1$/m)
      assert.strictEqual(yield* balance, 60n * dollar)
    })
  )

  it.effect("declines with a reason for the customer", () =>
    Effect.gen(function* () {
      const { balance, user } = yield* PayoutTesting.customer
      const { id } = yield* Payouts.use((all) => all.request(PayoutTesting.asked(user)))
      assert.match(yield* run(`decline ${id} --reason checked --text unclear`), /\tdeclined\t/)
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.match(yield* run(`show ${randomUUID()}`), /failed: There is no such withdrawal/)
    })
  )

  it.effect("finds no disputes where none are", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* runDisputes("list"), "No disputes")
      assert.match(yield* runDisputes("show du_1"), /failed: There is no such dispute/)
    })
  )
})
