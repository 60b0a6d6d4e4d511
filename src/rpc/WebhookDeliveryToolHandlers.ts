import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { WebhookLog } from "../webhooks/WebhookLog.ts"
import { asTool } from "./ToolFailure.ts"
import { WebhookDeliveryTools } from "./WebhookDeliveryTools.ts"

export const layer = WebhookDeliveryTools.toLayer(
  Effect.gen(function* () {
    const log = yield* WebhookLog

    return WebhookDeliveryTools.of({
      list_webhook_deliveries: Effect.fnUntraced(function* ({ endpoint_id, limit, offset, status }) {
        const found = yield* log.list((yield* Caller).user_id, endpoint_id, status, { limit, offset })
        return { ...found, limit, offset }
      }, asTool),
      get_webhook_delivery: Effect.fnUntraced(function* (place) {
        return yield* log.find({ owner: (yield* Caller).user_id, ...place })
      }, asTool),
      redeliver_webhook: Effect.fnUntraced(function* (place) {
        return yield* log.redeliver({ owner: (yield* Caller).user_id, ...place })
      }, asTool)
    })
  })
)
