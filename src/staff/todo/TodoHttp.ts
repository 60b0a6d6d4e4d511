import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import { todoKinds } from "./Todo.ts"
import { TodoList } from "./TodoList.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminTodo",
  Effect.fnUntraced(function* (handlers) {
    const todo = yield* TodoList
    return handlers.handleAll({
      listTodo: Effect.fnUntraced(function* ({ query }) {
        const { counts, items } = yield* todo.list(yield* Actor, query)
        return { counts, items: items.map((item) => ({ ...item, is_by_hand: todoKinds[item.kind].isByHand })) }
      }),
      settleTodo: Effect.fnUntraced(function* ({ params, payload }) {
        yield* todo.settle(yield* Actor, params, payload.reason)
      })
    })
  })
)
