import { Context, DateTime, Effect, Layer, Option } from "effect"
import { UserNotFound } from "./AccountErrors.ts"
import { ApiKeysRepo } from "./ApiKeysRepo.ts"
import { Unauthorized } from "./Authentication.ts"
import type { Caller } from "./Caller.ts"
import { CredentialsRepo } from "./CredentialsRepo.ts"
import { SessionsRepo } from "./SessionsRepo.ts"

type Credentialed = Pick<Caller["Service"], "user_id" | "credential">

/**
 * Callers who leave something in their account that acts for them later. A password reset that takes the account over ends
 * all of that: it must not come between the check of a credential and what its caller creates.
 */
export class CallerLock extends Context.Service<
  CallerLock,
  {
    /**
     * Locks the account, and refuses a caller whose session or API key has ended since it was checked. Until the caller's
     * transaction ends, another password and the account's deletion wait.
     */
    readonly hold: (caller: Credentialed) => Effect.Effect<void, UserNotFound | Unauthorized>
  }
>()("app/accounts/CallerLock") {
  static readonly layerNoDeps = Layer.effect(
    CallerLock,
    Effect.gen(function* () {
      const credentials = yield* CredentialsRepo
      const apiKeys = yield* ApiKeysRepo
      const sessions = yield* SessionsRepo

      const isInForce = Effect.fnUntraced(function* ({ credential, user_id }: Credentialed) {
        if (credential._tag === "api_key") return yield* apiKeys.exists(credential.api_key_id)
        // An app's access never reaches that far.
        if (credential._tag === "oauth") return false
        return Option.isSome(yield* sessions.findLive(credential.session_id, user_id, yield* DateTime.now))
      })

      const hold = Effect.fn("CallerLock.hold")(function* (caller: Credentialed) {
        if (Option.isNone(yield* credentials.lock(caller.user_id))) return yield* new UserNotFound()
        if (!(yield* isInForce(caller))) return yield* new Unauthorized()
      })

      return CallerLock.of({ hold })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([ApiKeysRepo.layer, CredentialsRepo.layer, SessionsRepo.layer])
  )
}
