import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { flags } from "../../src/cli/FlagsCommand.ts"
import { Flags } from "../../src/flags/Flags.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(flags(Layer.mergeAll(AccountLookUp.layer, Flags.layer, recording)))
const city = "isp.city.enable"
const soon = "; a running service applies this within 5 seconds"

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("flags", (it) => {
  it.effect("list prints the defaults, and set changes the platform or an account, named by id or email", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      assert.deepStrictEqual((yield* run("list")).split("\n"), [
        "isp.city.enable\ton\tdefault on",
        "ip_reputation.check.enabled\ton\tdefault on",
        "orders.mobile.extend.too_early_guard\toff\tdefault off"
      ])
      assert.strictEqual(yield* run(`set ${city} off`), `${city} is off${soon}`)
      assert.include(yield* run("list"), `${city}\toff\tdefault on`)
      assert.include(yield* run(`list --account ${user}`), `${city}\toff`)
      const email = `${user.toUpperCase()}@Example.com`
      assert.strictEqual(
        yield* run(`set ${city} on --account ${email}`),
        `${city} is on for ${email.toLowerCase()}${soon}`
      )
      assert.include(yield* run(`list --account ${user}`), `${city}\ton`)
      assert.include(yield* run("list"), `${city}\toff`)
      assert.strictEqual(yield* run(`set ${city} default --account ${user}`), `${city} is default for ${user}${soon}`)
      assert.include(yield* run(`list --account ${user}`), `${city}\toff`)
      assert.deepStrictEqual(
        (yield* events).map(({ action, after, subject, user_id }) => [action, subject, user_id, after]),
        [null, user, user].map((whose, at) => [
          "setting.change",
          `flag ${city}`,
          whose,
          { state: ["off", "on", "default"][at] }
        ])
      )
    })
  )

  it.effect("set refuses an account that does not exist", () =>
    Effect.gen(function* () {
      const id = randomUUID()
      assert.strictEqual(yield* run(`set ${city} on --account ${id}`), `failed: There is no account ${id}`)
      assert.strictEqual(
        yield* run("list --account nobody@example.com"),
        "failed: There is no account nobody@example.com"
      )
      assert.include(yield* run(`set ${city} on --account bob`), "Expected the id or the email of an account, got bob")
    })
  )
})
