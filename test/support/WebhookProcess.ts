import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer } from "effect"
import { Notifications } from "../../src/notifications/Notifications.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { WebhookDispatcher } from "../../src/webhooks/WebhookDispatcher.ts"
import * as TestOutbound from "./TestOutbound.ts"

/** A process that sends the due deliveries of the database at `DATABASE_URL`, until it is killed. */
const database = Layer.unwrap(
  Effect.map(Config.Redacted("DATABASE_URL"), (url) => Database.layerPool({ url, maxConnections: 4 }))
)

WebhookDispatcher.layer.pipe(
  Layer.provide([Notifications.layer, TestOutbound.layer]),
  Layer.provide(database),
  Layer.launch,
  NodeRuntime.runMain
)
