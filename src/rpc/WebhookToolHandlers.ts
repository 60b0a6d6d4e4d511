import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { WebhookTests } from "../webhooks/WebhookTests.ts"
import { asTool } from "./ToolFailure.ts"
import { WebhookTools } from "./WebhookTools.ts"

export const layer = WebhookTools.toLayer(
  Effect.gen(function* () {
    const tests = yield* WebhookTests
    const webhooks = yield* Webhooks

    return WebhookTools.of({
      list_webhooks: Effect.fnUntraced(function* (page) {
        return { ...(yield* webhooks.list((yield* Caller).user_id, page)), ...page }
      }),
      get_webhook: Effect.fnUntraced(function* ({ endpoint_id }) {
        return yield* webhooks.find((yield* Caller).user_id, endpoint_id)
      }, asTool),
      create_webhook: Effect.fnUntraced(function* (settings) {
        return yield* webhooks.create(yield* Caller, settings)
      }, asTool),
      update_webhook: Effect.fnUntraced(function* ({ endpoint_id, ...change }) {
        return yield* webhooks.change((yield* Caller).user_id, endpoint_id, change)
      }, asTool),
      delete_webhook: Effect.fnUntraced(function* ({ endpoint_id }) {
        yield* webhooks.remove((yield* Caller).user_id, endpoint_id)
        return { deleted: true as const }
      }, asTool),
      test_webhook: Effect.fnUntraced(function* ({ endpoint_id }) {
        return yield* tests.send((yield* Caller).user_id, endpoint_id)
      }, asTool),
      rotate_webhook_secret: Effect.fnUntraced(function* ({ endpoint_id, overlap_seconds }) {
        return yield* webhooks.rotateSecret((yield* Caller).user_id, endpoint_id, overlap_seconds)
      }, asTool)
    })
  })
)
