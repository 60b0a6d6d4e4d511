import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class TodoItemNotFound extends ApiError<TodoItemNotFound>()("TodoItemNotFound", {
  status: 404,
  detail: "There is no such open item; it may be settled already"
}) {}

export class TodoItemEndsItself extends ApiError<TodoItemEndsItself>()(
  "TodoItemEndsItself",
  { status: 409, detail: "This item ends by itself when its cause has ended" },
  { reason: Schema.tag("ends_itself") }
) {}
