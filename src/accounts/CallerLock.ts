import { Context, DateTime, Effect, Layer, Option } from "effect"
import { UserNotFound } from "./AccountErrors.ts"
import { ApiKeysRepo } from "./ApiKeysRepo.ts"
import { Unauthorized } from "./Authentication.ts"
import type { Caller } from "./Caller.ts"
import { CredentialsRepo } from "./CredentialsRepo.ts"
import { SessionsRepo } from "./SessionsRepo.ts"

type Credentialed = Pick<Caller["Service"], "user_id" | "credential">

/**
 * Locks the caller's account while the caller creates something that outlives the request, such as an API key. A password
 * reset that takes the account over deletes such things. The lock keeps it from running between the check of the credential
 * and the creation.
 */
export class CallerLock extends Context.Service<
  CallerLock,
  {
    /**
     * Locks the account; refuses a caller whose session or API key ended after it was checked. A password change and the
     * deletion of the account wait until the caller's transaction ends.
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
        // No OAuth scope lets an app create such things.
        if (credential._tag === "oauth") return false
        return Option.isSome(yield* sessions.findLive(credential.session_id, user_id, yield* DateTime.now))
      })

      const hold = Effect.fn("CallerLock.hold")(function* (caller: Credentialed) {
        const account = Option.getOrUndefined(yield* credentials.lock(caller.user_id))
        if (account === undefined) return yield* new UserNotFound()
        if (account.access_blocked || !(yield* isInForce(caller))) return yield* new Unauthorized()
      })

      return CallerLock.of({ hold })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([ApiKeysRepo.layer, CredentialsRepo.layer, SessionsRepo.layer])
  )
}
