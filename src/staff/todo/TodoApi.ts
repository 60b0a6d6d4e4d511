import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Line } from "../../platform/fields/Line.ts"
import { wholeNumber } from "../../platform/fields/WholeNumber.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { SubjectId, TodoItem, TodoKind } from "./Todo.ts"
import { TodoItemEndsItself, TodoItemNotFound } from "./TodoErrors.ts"

const ItemView = Schema.Struct({
  ...TodoItem.fields,
  id: SubjectId.annotate({ description: "The id of the record that waits, or the name of the vendor" }),
  since: Schema.DateTimeUtcFromString,
  user_id: Schema.NullOr(Schema.String).annotate({ description: "The customer, if it is about one" }),
  is_by_hand: Schema.Boolean.annotate({ description: "True when a person says that it is settled" })
}).annotate({ identifier: "TodoItem" })

const ListView = Schema.Struct({
  counts: Schema.Array(Schema.Struct({ kind: TodoKind, count: Schema.Int })).annotate({
    description: "The open items of each kind that has some, at most 1,000 of a kind"
  }),
  items: Schema.Array(ItemView)
}).annotate({ identifier: "TodoList" })

export class TodoApi extends HttpApiGroup.make("adminTodo")
  .add(
    HttpApiEndpoint.get("listTodo", "/todo", {
      query: {
        kind: Schema.optionalKey(TodoKind),
        limit: wholeNumber(1, 200, { default: 100 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("100")))
      },
      success: ListView
    })
      .annotate(RequiredPermission, "todo.read")
      .annotate(OpenApi.Summary, "List what waits for a person")
      .annotate(
        OpenApi.Description,
        "The oldest items first. An item is listed while its cause exists. There are no further pages: settle the first ones."
      ),
    HttpApiEndpoint.post("settleTodo", "/todo/:kind/:id/settle", {
      params: { kind: TodoKind, id: SubjectId },
      payload: Schema.Struct({
        reason: Line(3, 500).annotate({ description: "What was done. The audit log keeps it.", examples: ["Released"] })
      }).annotate({ identifier: "SettleTodo" }),
      success: HttpApiSchema.Empty(204),
      error: [TodoItemEndsItself, TodoItemNotFound]
    })
      .annotate(RequiredPermission, "todo.settle")
      .annotate(OpenApi.Summary, "Say that an item is settled")
      .annotate(
        OpenApi.Description,
        "For items with `is_by_hand`. The others end when their cause ends, and are refused with `409`."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "To-do")
  .annotate(OpenApi.Description, "What waits for a person.") {}
