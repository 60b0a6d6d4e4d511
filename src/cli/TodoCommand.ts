import { Console, DateTime, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import { Line } from "../platform/fields/Line.ts"
import * as Actor from "../staff/Actor.ts"
import { SubjectId, type TodoItem, TodoKind, todoKinds } from "../staff/todo/Todo.ts"
import { TodoList } from "../staff/todo/TodoList.ts"
import { tellFailure } from "./TellFailure.ts"

const listed = 200

const actor = Effect.sync(() => Actor.cli(userInfo().username))

const line = ({ detail, id, kind, order_id, since, user_id }: TodoItem) =>
  [
    kind,
    id,
    DateTime.formatIso(since),
    order_id ?? "",
    user_id ?? "",
    todoKinds[kind].isByHand ? "by hand" : "by itself",
    detail
  ].join("\t")

const list = Command.make(
  "list",
  {
    kind: Flag.Literals("kind", TodoKind.literals).pipe(Flag.optional, Flag.withDescription("Only items of this kind"))
  },
  Effect.fn(function* ({ kind }) {
    const todo = yield* TodoList
    const asked = { kind: Option.getOrUndefined(kind), limit: listed }
    const { items } = yield* tellFailure(todo.list(yield* actor, asked))
    yield* Effect.forEach(items, (item) => Console.log(line(item)), { discard: true })
  })
).pipe(
  Command.withDescription(
    `Print what waits for a person, the oldest first, at most ${listed}: kind, id, since, order, customer, how it ends, detail`
  )
)

const settle = Command.make(
  "settle",
  {
    kind: Argument.Literals("kind", TodoKind.literals),
    id: Argument.String("id").pipe(Argument.withSchema(SubjectId), Argument.withDescription("Id that the list prints")),
    reason: Flag.String("reason").pipe(
      Flag.withSchema(Line(3, 500)),
      Flag.withDescription("What was done; the audit log keeps it")
    )
  },
  Effect.fn(function* ({ id, kind, reason }) {
    const todo = yield* TodoList
    yield* tellFailure(todo.settle(yield* actor, { kind, id }, reason))
    yield* Console.log("settled")
  })
).pipe(Command.withDescription("Say that an item is settled"))

export const todo = <E, R>(services: Layer.Layer<TodoList, E, R>) =>
  Command.make("todo").pipe(
    Command.withDescription("Show and settle what waits for a person"),
    Command.withSubcommands([Command.provide(list, services), Command.provide(settle, services)])
  )
