import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { oneKey, replayable } from "../idempotency/IdempotencyKeyHttp.ts"
import * as Money from "../platform/Money.ts"
import { IpCheckGate } from "./IpCheckGate.ts"
import { IpCheckQuota } from "./IpCheckQuota.ts"
import { ipCheckView, listedIpCheckView } from "./IpCheckView.ts"
import { IpChecks } from "./IpChecks.ts"
import { IpSurvey } from "./IpSurvey.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "ipCheck",
  Effect.fnUntraced(function* (handlers) {
    const checks = yield* IpChecks
    const gate = yield* IpCheckGate
    const quota = yield* IpCheckQuota
    const survey = yield* IpSurvey

    return handlers.handleAll({
      quota: Effect.fnUntraced(function* () {
        const { price, ...counts } = yield* quota.of((yield* Caller).user_id)
        return { ...counts, price: Money.toDecimal("USD", price), currency: "USD" as const }
      }),
      check: Effect.fnUntraced(function* ({ headers, payload }) {
        const caller = yield* Caller
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        yield* gate.check(caller.user_id)
        return replayable(yield* checks.check(caller, payload.ip, key))
      }),
      survey: Effect.fnUntraced(function* ({ payload }) {
        return yield* survey.survey((yield* Caller).user_id, payload.ip)
      }),
      history: Effect.fnUntraced(function* ({ query }) {
        const { checks: made, total } = yield* checks.list((yield* Caller).user_id, query)
        return { checks: made.map(listedIpCheckView), total, ...query }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        return ipCheckView(yield* checks.get((yield* Caller).user_id, params.check_id))
      })
    })
  })
)
