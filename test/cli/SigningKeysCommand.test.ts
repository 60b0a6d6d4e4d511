import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import { signingKeys } from "../../src/cli/SigningKeysCommand.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(signingKeys(Layer.merge(SigningKeys.layer, recording)))

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("signing-keys", (it) => {
  it.effect("rotate changes the key, and list prints the active key first", () =>
    Effect.gen(function* () {
      const [first = ""] = (yield* run("list")).split("\t")
      const [, kid] =
        /^Key (\S+) signs new tokens; issued tokens stay valid until they expire$/.exec(yield* run("rotate")) ?? []
      assert.deepStrictEqual((yield* run("list")).split("\n"), [
        `${kid}\tactive\tcreated 1970-01-01T00:00:00.000Z`,
        `${first}\tretired 1970-01-01T00:00:00.000Z\tcreated 1970-01-01T00:00:00.000Z`
      ])
      assert.deepStrictEqual(
        (yield* events).map(({ action, subject }) => [action, subject]),
        [["setting.change", `signing_key ${kid}`]]
      )
    })
  )
})
