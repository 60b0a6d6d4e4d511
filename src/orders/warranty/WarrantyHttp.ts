import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { oneKey, replayable } from "../../idempotency/IdempotencyKeyHttp.ts"
import { ProxyChecks } from "./ProxyChecks.ts"
import { Replacements } from "./Replacements.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "warranty",
  Effect.fnUntraced(function* (handlers) {
    const checks = yield* ProxyChecks
    const replacements = yield* Replacements

    return handlers.handleAll({
      check: Effect.fnUntraced(function* ({ params }) {
        return yield* checks.check((yield* Caller).user_id, params.order_id)
      }),
      autoReplace: Effect.fnUntraced(function* ({ params, payload }) {
        yield* checks.setAutoReplace((yield* Caller).user_id, params.order_id, payload.enabled)
        return { order_id: params.order_id, auto_replace: payload.enabled }
      }),
      replace: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* Caller
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        if (payload.dry_run === true)
          return replayable({ answer: yield* replacements.preview(caller, params.order_id), replayed: false })
        return replayable(yield* replacements.replace(caller, params.order_id, key))
      }),
      uptime: Effect.fnUntraced(function* ({ params, query }) {
        return yield* checks.uptime((yield* Caller).user_id, params.order_id, query.days)
      })
    })
  })
)
