import { ApiError } from "../platform/errors/ApiError.ts"

export class NotificationNotFound extends ApiError<NotificationNotFound>()("NotificationNotFound", {
  status: 404,
  detail: "There is no such notification"
}) {}

export class NotificationNotYours extends ApiError<NotificationNotYours>()("NotificationNotYours", {
  status: 403,
  detail: "This notification belongs to another account"
}) {}
