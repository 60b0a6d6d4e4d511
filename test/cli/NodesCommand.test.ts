import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { nodes } from "../../src/cli/NodesCommand.ts"
import { Nodes } from "../../src/gateway/nodes/Nodes.ts"
import * as JoinString from "../../src/gateway/JoinString.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events, recording } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(nodes(Layer.merge(Nodes.layer, recording)))

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("nodes", (it) => {
  it.effect("add prints one line to join with, whose token the database does not have, and records the change", () =>
    Effect.gen(function* () {
      const printed = yield* run("add fra1 --host fra1.example.com")
      const word = /--node fra1 --join (\S+)$/.exec(printed)?.[1] ?? ""
      const { token, url } = Option.getOrThrow(JoinString.decode(word))
      assert.strictEqual(url, "http://localhost:8080")
      const sql = yield* SqlClient.SqlClient
      const [enrolment] = yield* sql<{ token_hash: string }>`SELECT token_hash FROM gateway_enrolment`
      assert.notInclude(enrolment?.token_hash ?? "", token)
      assert.deepStrictEqual(
        (yield* events).map(({ action, after, subject }) => [action, subject, after]),
        [["setting.change", "node fra1", { state: "added" }]]
      )
      assert.match(yield* run("add fra1 --host other.example.com"), /^failed: There is a node fra1 already/)
    })
  )

  it.effect("list and show tell where a node stands", () =>
    Effect.gen(function* () {
      const lines = (yield* run("list")).split("\n")
      assert.deepStrictEqual(lines, [
        "fra1\tjoining\t0 proxies\tfra1.example.com\tno key",
        "local\tready\t0 proxies\tGATEWAY_HOST"
      ])
      assert.include(yield* run("show fra1"), "changes that it has not confirmed: unknown")
      assert.strictEqual(yield* run("show ams9"), "failed: There is no node ams9; see nodes list")
      assert.include(yield* run("show Fra_1"), "such as fra1")
    })
  )

  it.effect("drain, undrain, lose and retire move a node, and the local node stays", () =>
    Effect.gen(function* () {
      assert.include(yield* run("drain fra1 --reason repair"), "draining")
      assert.include(yield* run("undrain fra1"), "ready")
      assert.include(yield* run("retire fra1"), "failed: The node fra1 is ready")
      assert.include(yield* run("lose fra1"), "lost")
      assert.include(yield* run("retire fra1"), "retired")
      assert.include(yield* run("rejoin fra1"), "failed: The node fra1 is retired")
      assert.include(yield* run("revoke local"), "failed: The node local runs beside the service")
    })
  )
})
