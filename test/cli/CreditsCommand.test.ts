import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { credits } from "../../src/cli/CreditsCommand.ts"
import { refunds } from "../../src/cli/RefundsCommand.ts"
import { OrderRefunds } from "../../src/orders/refunds/OrderRefunds.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { StaffAdjustments } from "../../src/staff/money/StaffAdjustments.ts"
import { StaffRefunds } from "../../src/staff/money/StaffRefunds.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { newUser } from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { proxy } from "../orders/changes/ProxyChangeTesting.ts"
import * as RefundTesting from "../orders/refunds/RefundTesting.ts"
import { runner } from "./CommandTesting.ts"

const balanceOf = (user: Effect.Success<typeof newUser>) =>
  Effect.map(
    Wallets.use((wallets) => wallets.balance(user, "USD")),
    ({ balance }) => balance
  )

/** The transactions of the test's database. */
const transactions = Layer.effect(Atomically, Atomically)

const run = {
  credits: runner(
    credits(
      Layer.mergeAll(AccountLookUp.layer, StaffAdjustments.layer, transactions).pipe(Layer.provide(Wallets.layer))
    )
  ),
  refunds: runner(refunds(Layer.mergeAll(OrderRefunds.layer, StaffRefunds.layer, transactions)))
}

layer(Layer.mergeAll(Wallets.layer, NodeServices.layer).pipe(Layer.provideMerge(TestDatabase.layer)))(
  "credits",
  (it) => {
    it.effect("gives, corrects and takes back, once for an id, and not in a rehearsal", () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const id = randomUUID()
        const give = `give ${user} --amount 5 --reason outage --id ${id}`
        assert.match(yield* run.credits(`${give} --dry-run`), /^would be: /)
        assert.strictEqual(yield* balanceOf(user), 0n)
        for (let time = 0; time < 2; time++)
          assert.match(yield* run.credits(give), new RegExp(`^${id}\tbooked\tgoodwill\t5.00 USD\t${user}\tcli:`))
        assert.strictEqual(yield* balanceOf(user), 5_000_000n)
        assert.match(
          yield* run.credits(`debit ${user} --amount 6 --reason mistake`),
          /failed: .*too little money.*5.00/
        )
        assert.match(
          yield* run.credits(`debit ${user} --amount 6 --reason mistake --dry-run`),
          /failed: .*too little money/
        )
        assert.match(yield* run.credits(`revoke ${id} --amount 2 --reason mistake`), /goodwill_revoked\t-2.00 USD/)
        assert.strictEqual(yield* balanceOf(user), 3_000_000n)
        const listed = yield* run.credits("list")
        assert.match(listed, /goodwill_revoked\t-2.00/)
        assert.match(listed, /goodwill\t5.00/)
      })
    )
  }
)

layer(Layer.merge(RefundTesting.layer, NodeServices.layer))("refunds", (it) => {
  it.effect("previews, rehearses and returns", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      assert.match(yield* run.refunds(`preview ${id}`), /all\tpaid 1.50\treturned 0.00\tat most 1.50/)
      const create = `create ${id} --kind amount --amount 0.50 --reason slow`
      assert.match(yield* run.refunds(`${create} --dry-run`), /^would be: \S+\tbooked\tamount\tto wallet\t0.50 USD/)
      assert.strictEqual(yield* balanceOf(user), 8_500_000n)
      assert.match(yield* run.refunds(create), /\tbooked\tamount\tto wallet\t0.50 USD/)
      assert.strictEqual(yield* balanceOf(user), 9_000_000n)
      assert.match(
        yield* run.refunds(`create ${id} --kind whole --reason slow`),
        /failed: .*return the rest as an amount/
      )
      const events = yield* sql`SELECT action FROM audit_event WHERE outcome = 'done'`
      assert.deepStrictEqual(events, [{ action: "refund.create" }])
    })
  )
})
