import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { userInfo } from "node:os"
import { todo } from "../../src/cli/TodoCommand.ts"
import { TodoList } from "../../src/staff/todo/TodoList.ts"
import { plants } from "../staff/todo/TodoTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(todo(Layer.effect(TodoList, TodoList)))

layer(Layer.merge(TestApp.layer(), NodeServices.layer))("todo", (it) => {
  it.effect("prints what waits, and settles it in the name of the user of the machine", () =>
    Effect.gen(function* () {
      const { order_id, planted, user_id } = yield* plants
      const lines = (yield* run("list")).split("\n")
      assert.lengthOf(lines, planted.length)
      const id = planted.find(({ kind }) => kind === "orphan")?.id
      const line = `orphan\t${id}\t1969-12-12T00:00:00.000Z\t${order_id}\t${user_id}\tby hand\tmemory: proxy 7`
      assert.strictEqual(yield* run("list --kind orphan"), line)
      assert.strictEqual(yield* run(`settle orphan ${id} --reason Released`), "settled")
      assert.strictEqual(yield* run("list --kind orphan"), "")
      assert.include(yield* run(`settle orphan ${id} --reason Released`), "There is no such open item")
      assert.include(yield* run("settle vendor_balance iproyal --reason Paid"), "ends by itself")
      const sql = yield* SqlClient.SqlClient
      const events =
        yield* sql`SELECT actor_name, reason FROM audit_event WHERE action = 'todo.settle' AND outcome = 'done'`
      assert.deepStrictEqual(events, [{ actor_name: `cli:${userInfo().username}`, reason: "Released" }])
    })
  )
})
