import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { session } from "../Caller.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { SecondFactorChanges } from "./SecondFactorChanges.ts"
import { SecondFactors } from "./SecondFactors.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "second-factor",
  Effect.fnUntraced(function* (handlers) {
    const changes = yield* SecondFactorChanges
    const { caughtUp } = yield* CredentialChanges
    const factors = yield* SecondFactors
    const limits = yield* AuthLimits

    /** The session of the request, after counting an attempt of its password. */
    const limited = Effect.tap(session, ({ session_id }) => limits.session("password", session_id))

    return handlers.handleAll({
      get: () => Effect.flatMap(session, ({ user_id }) => factors.state(user_id)),
      begin: Effect.fnUntraced(function* ({ payload: { password } }) {
        return yield* changes.begin(yield* limited, password)
      }),
      confirm: Effect.fnUntraced(function* ({ payload: { otp } }) {
        const recovery_codes = yield* changes.confirm(yield* session, otp)
        yield* caughtUp
        return { recovery_codes }
      }),
      remove: Effect.fnUntraced(function* ({ payload: { otp, password } }) {
        yield* changes.end(yield* limited, { password, otp })
        yield* caughtUp
      }),
      renewRecoveryCodes: Effect.fnUntraced(function* ({ payload: { otp, password } }) {
        const recovery_codes = yield* changes.renewCodes(yield* limited, { password, otp })
        yield* caughtUp
        return { recovery_codes }
      })
    })
  })
)
