import { NodeCrypto, NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import { Notifications } from "../src/notifications/Notifications.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as Logging from "../src/platform/Logging.ts"
import { OutboundHttp } from "../src/platform/outbound/OutboundHttp.ts"
import * as WebhookRetries from "../src/webhooks/WebhookRetries.ts"

// The part of the service that sends webhooks, in a separate process with the service's configuration. It answers any
// message with its processor time so far.

process.on("message", () => process.send?.(process.cpuUsage()))
process.on("disconnect", () => process.exit())

WebhookRetries.layer.pipe(
  Layer.provide(Notifications.layer),
  Layer.provide([Database.layer, OutboundHttp.layer, NodeCrypto.layer]),
  Layer.provide(Logging.layer),
  Layer.launch,
  NodeRuntime.runMain
)
