import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { ProxyChecks } from "../orders/warranty/ProxyChecks.ts"
import { Replacements } from "../orders/warranty/Replacements.ts"
import { asTool } from "./ToolFailure.ts"
import { WarrantyTools } from "./WarrantyTools.ts"

export const layer = WarrantyTools.toLayer(
  Effect.gen(function* () {
    const checks = yield* ProxyChecks
    const replacements = yield* Replacements

    return WarrantyTools.of({
      check_proxy: Effect.fnUntraced(function* ({ order_id }) {
        return yield* checks.check((yield* Caller).user_id, order_id)
      }, asTool),
      get_proxy_uptime: Effect.fnUntraced(function* ({ days, order_id }) {
        return yield* checks.uptime((yield* Caller).user_id, order_id, days)
      }, asTool),
      replace_proxy: Effect.fnUntraced(function* ({ confirm, idempotency_key, order_id }) {
        const caller = yield* Caller
        if (!confirm) return yield* replacements.preview(caller, order_id)
        const { answer } = yield* Effect.uninterruptible(replacements.replace(caller, order_id, idempotency_key))
        return answer
      }, asTool),
      set_auto_replace: Effect.fnUntraced(function* ({ enabled, order_id }) {
        yield* checks.setAutoReplace((yield* Caller).user_id, order_id, enabled)
        return { order_id, auto_replace: enabled }
      }, asTool)
    })
  })
)
