import { Context, DateTime, Effect, Layer } from "effect"
import * as UuidV7 from "../../platform/UuidV7.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { type TodoCount, type TodoItem, TodoKind, todoKinds } from "./Todo.ts"
import { TodoItemEndsItself, TodoItemNotFound } from "./TodoErrors.ts"
import { TodoRepo } from "./TodoRepo.ts"

interface Asked {
  readonly kind?: TodoKind | undefined
  readonly limit: number
}

interface Open {
  readonly counts: ReadonlyArray<TodoCount>
  /** The oldest first. */
  readonly items: ReadonlyArray<TodoItem>
}

type By = Actor["Service"]

/**
 * What waits for a person. An item is there while its cause is: it follows from the records themselves. Where no record can show
 * that a person has acted, the person says so.
 */
export class TodoList extends Context.Service<
  TodoList,
  {
    readonly list: (actor: By, asked: Asked) => Effect.Effect<Open, PermissionNeeded>
    readonly find: (
      actor: By,
      item: Pick<TodoItem, "id" | "kind">
    ) => Effect.Effect<TodoItem, PermissionNeeded | TodoItemNotFound>
    /** Says that an item is settled, on record. */
    readonly settle: (
      actor: By,
      item: Pick<TodoItem, "id" | "kind">,
      reason: string
    ) => Effect.Effect<void, PermissionNeeded | TodoItemEndsItself | TodoItemNotFound>
  }
>()("app/staff/TodoList") {
  static readonly layerNoDeps = Layer.effect(
    TodoList,
    Effect.gen(function* () {
      const audit = yield* Audit
      const guard = yield* Guard.make
      const repo = yield* TodoRepo

      const find = Effect.fnUntraced(function* ({ id, kind }: Pick<TodoItem, "id" | "kind">) {
        const found = yield* repo.find(kind, id, yield* DateTime.now)
        return yield* Effect.fromOption(found).pipe(Effect.mapError(() => new TodoItemNotFound()))
      })

      return TodoList.of({
        find: Effect.fn("TodoList.find")((actor, item) => Effect.andThen(needs(actor, "todo.read"), find(item))),

        list: Effect.fn("TodoList.list")(function* (actor, { kind, limit }) {
          yield* needs(actor, "todo.read")
          const now = yield* DateTime.now
          const items = yield* repo.list(kind === undefined ? TodoKind.literals : [kind], now, limit)
          return { counts: yield* repo.counts(now), items }
        }),

        settle: Effect.fn("TodoList.settle")((actor, { id, kind }, reason) => {
          const subject = { kind: `todo_${kind}`, id }
          const act = Effect.gen(function* () {
            yield* needs(actor, todoKinds[kind].permission)
            if (!todoKinds[kind].isByHand) return yield* new TodoItemEndsItself({ details: {} })
            const { detail, user_id } = yield* find({ kind, id })
            yield* repo.settle({ kind, id }, actor.name, UuidV7.make(), yield* DateTime.now)
            yield* audit.record({
              actor,
              action: "todo.settle",
              subject,
              user_id,
              before: { name: detail },
              after: { state: "settled" },
              reason
            })
          })
          return guard.allow({ actor, permission: "todo.settle", subject }, act)
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, TodoRepo.layer]))
}
