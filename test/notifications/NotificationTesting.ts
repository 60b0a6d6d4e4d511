import { Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import type { UserId } from "../../src/accounts/User.ts"
import { Notifications, type Notice } from "../../src/notifications/Notifications.ts"
import { NotificationsApi } from "../../src/notifications/NotificationsApi.ts"
import * as NotificationsHttp from "../../src/notifications/NotificationsHttp.ts"
import { NotificationsRepo } from "../../src/notifications/NotificationsRepo.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf } from "../support/TestServer.ts"

/** Notifications and their part of the API. */
export const world = layerOf(
  HttpApi.make("proxy-rental").add(NotificationsApi).prefix("/v1"),
  NotificationsHttp.layer
).pipe(Layer.provideMerge([Notifications.layer, NotificationsRepo.layer]), Layer.provideMerge(TestDatabase.layer))

export const tell = Effect.fnUntraced(function* (user_id: UserId, notice: Partial<Notice> = {}) {
  const notifications = yield* Notifications
  yield* notifications.add([{ user_id, kind: "proxy_renewed", order_id: null, message: () => "Renewed", ...notice }])
})
