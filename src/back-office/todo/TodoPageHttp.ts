import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { Line } from "../../platform/fields/Line.ts"
import { SubjectId, TodoKind } from "../../staff/todo/Todo.ts"
import { TodoItemNotFound } from "../../staff/todo/TodoErrors.ts"
import { TodoList } from "../../staff/todo/TodoList.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import { settlePage, todoPage } from "./TodoPage.ts"

const perPage = 100

const isKind = Schema.is(TodoKind)
const isId = Schema.is(SubjectId)

const itemInPath = Effect.flatMap(HttpRouter.params, ({ id, kind }) =>
  isKind(kind) && isId(id) ? Effect.succeed({ kind, id }) : Effect.fail(new TodoItemNotFound())
)

/** The to-do list, and the page on which a person says that an item is settled. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const todo = yield* TodoList

    yield* router.add(
      "GET",
      pathTo("todo"),
      show(
        Effect.fnUntraced(function* (visit) {
          const { query } = visit
          const kind = query.get("kind")
          const asked = isKind(kind) ? kind : undefined
          const open = yield* todo.list(visit.actor, { kind: asked, limit: perPage })
          return todoPage(visit, {
            ...open,
            kind: asked,
            ...(query.get("settled") === "true" && { notice: text("todo.settled") })
          })
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("todo/:kind/:id"),
      show(
        Effect.fnUntraced(function* (visit) {
          return settlePage(visit, yield* todo.find(visit.actor, yield* itemInPath))
        })
      )
    )
    yield* router.add(
      "POST",
      pathTo("todo/:kind/:id"),
      take({
        fields: Schema.Struct({ reason: Line(3, 500) }),
        messages: { reason: text("todo.reason_wrong") },
        again: Effect.fnUntraced(function* (visit, faults, { field }) {
          const item = yield* todo.find(visit.actor, yield* itemInPath)
          return settlePage(visit, item, { faults, reason: field("reason") })
        }),
        act: Effect.fnUntraced(function* (visit, { reason }) {
          yield* todo.settle(visit.actor, yield* itemInPath, reason)
          return redirect(`${pathTo("todo")}?settled=true`)
        })
      })
    )
  })
)
