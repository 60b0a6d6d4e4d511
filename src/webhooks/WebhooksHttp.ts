import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { overlap } from "./WebhookEndpoint.ts"
import { Webhooks } from "./Webhooks.ts"
import { WebhookTests } from "./WebhookTests.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const tests = yield* WebhookTests
    const webhooks = yield* Webhooks

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        return { ...(yield* webhooks.list(user_id, query)), ...query }
      }),
      create: Effect.fnUntraced(function* ({ payload }) {
        return yield* webhooks.create(yield* Caller, payload)
      }),
      find: ({ params }) => Effect.flatMap(Caller, ({ user_id }) => webhooks.find(user_id, params.endpoint_id)),
      change: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        return yield* webhooks.change(user_id, params.endpoint_id, payload)
      }),
      remove: ({ params }) => Effect.flatMap(Caller, ({ user_id }) => webhooks.remove(user_id, params.endpoint_id)),
      test: ({ params }) => Effect.flatMap(Caller, ({ user_id }) => tests.send(user_id, params.endpoint_id)),
      rotateSecret: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        const { overlap_seconds = overlap.defaultSeconds } = payload ?? {}
        return yield* webhooks.rotateSecret(user_id, params.endpoint_id, overlap_seconds)
      })
    })
  })
)
