import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import * as Money from "../../platform/Money.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { Caller, session } from "../Caller.ts"
import { Users } from "./Users.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const users = yield* Users

    return handlers.handleAll({
      update: Effect.fnUntraced(function* ({ payload }) {
        const { user_id } = yield* Caller
        if (payload.email !== undefined) yield* limits.account("email-verification", user_id)
        return yield* Effect.tap(users.update(user_id, payload), changes.caughtUp)
      }),
      remove: Effect.fnUntraced(function* ({ payload }) {
        const { session_id, user_id } = yield* session
        yield* limits.session("password", session_id)
        yield* users.remove(user_id, payload.password)
        yield* changes.caughtUp
      }),
      referrals: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        const { referral_code, referred, ...usd } = yield* users.referrals(user_id)
        return {
          referral_code,
          referred,
          earned_usd: Money.toNumber("USD", usd.referral_earned_usd),
          pending_usd: Money.toNumber("USD", usd.referral_pending_usd)
        }
      })
    })
  })
)
