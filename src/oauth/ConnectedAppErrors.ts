import { ApiError } from "../platform/errors/ApiError.ts"

export class ConnectedAppNotFound extends ApiError<ConnectedAppNotFound>()("ConnectedAppNotFound", {
  status: 404,
  detail: "There is no such connected app, or it is not connected any more; see GET /users/me/connections"
}) {}

export class ConnectedAppOfAnotherUser extends ApiError<ConnectedAppOfAnotherUser>()("ConnectedAppOfAnotherUser", {
  status: 403,
  detail: "The app is connected to another account"
}) {}
