import { ApiError } from "../platform/errors/ApiError.ts"

export class ConnectedAppNotFound extends ApiError<ConnectedAppNotFound>()("ConnectedAppNotFound", {
  status: 404,
  detail: "The app is not connected, or no longer connected; GET /users/me/connections lists the connected apps"
}) {}

export class ConnectedAppOfAnotherUser extends ApiError<ConnectedAppOfAnotherUser>()("ConnectedAppOfAnotherUser", {
  status: 403,
  detail: "The app is connected to another account"
}) {}
