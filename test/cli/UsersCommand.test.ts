import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { users } from "../../src/cli/UsersCommand.ts"
import { CustomerCare } from "../../src/staff/customers/CustomerCare.ts"
import { CustomerRecords } from "../../src/staff/customers/CustomerRecords.ts"
import { CustomerRestrictions } from "../../src/staff/customers/CustomerRestrictions.ts"
import { Customers } from "../../src/staff/customers/Customers.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(
  users(
    Layer.mergeAll(AccountLookUp.layer, CustomerRestrictions.layer, Customers.layer),
    Layer.mergeAll(AccountLookUp.layer, CustomerRecords.layer, Layer.mock(CustomerCare)({}))
  )
)

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("users", (it) => {
  it.effect("find and show a customer, restrict it once for an id, and lift that", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const email = `${user}@example.com`
      assert.match(yield* run(`find ${email}`), new RegExp(`^${user}\t${email}\t\\S+\tfree\temail$`))
      assert.strictEqual(yield* run("find nothing"), "failed: Nothing names a customer as nothing")

      const id = randomUUID()
      const restrict = `restrict ${email} --preset ban --code abuse --reason Scans --public Complaints --id ${id}`
      const line = yield* run(restrict)
      assert.match(line, new RegExp(`^${id}\tban\topen\tplaced \\S+ by cli:\\S+\tno end\tComplaints$`))
      assert.strictEqual(yield* run(restrict), line)
      assert.match(yield* run(`${restrict.replace("Scans", "Other")}`), /^failed: .*use a new key/)
      const shown = yield* run(`show ${user}`)
      assert.include(shown, "access_blocked\ttrue")
      assert.include(shown, `restriction\t${line}`)
      assert.match(yield* run(`find ${id}`), /\tban\trestriction$/)

      const lifted = yield* run(`lift ${id} --reason Settled`)
      assert.match(lifted, new RegExp(`^id\t\\S+\n${id}\tban\tlifted`))
      assert.match(yield* run(`lift ${id} --reason Twice`), /failed: The restriction was lifted before/)
      assert.include(yield* run(`show ${user}`), "access_blocked\tfalse")
    })
  )

  it.effect("refuse what they do not know", () =>
    Effect.gen(function* () {
      assert.include(yield* run("show nobody@example.com"), "failed: There is no account nobody@example.com")
      assert.include(yield* run(`lift ${randomUUID()} --reason Settled`), "failed: There is no such restriction")
      assert.include(yield* run("restrict x --preset ban --reason abc --public abc"), "Expected the id or the email")
    })
  )
})
