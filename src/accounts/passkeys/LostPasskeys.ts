import { Context, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { PasskeysRepo } from "../PasskeysRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"
import * as PasskeyMails from "./PasskeyMails.ts"

/** Removes the passkeys of a person who has lost the devices, for the operator. */
export class LostPasskeys extends Context.Service<
  LostPasskeys,
  {
    /** Removes all passkeys of an account, and ends its sessions; false when there is no passkey. */
    readonly remove: (owner: UserId) => Effect.Effect<boolean>
  }
>()("app/accounts/LostPasskeys") {
  static readonly layerNoDeps = Layer.effect(
    LostPasskeys,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const credentials = yield* CredentialsRepo
      const repo = yield* PasskeysRepo
      const sessions = yield* SessionsRepo
      const tell = yield* PasskeyMails.make

      const remove = Effect.fn("LostPasskeys.remove")(function* (owner: UserId) {
        const account = Option.getOrUndefined(yield* credentials.lock(owner))
        const removed = yield* repo.removeAll(owner)
        if (account === undefined || removed.length === 0) return false
        yield* sessions.removeAll(owner)
        yield* tell(account, "passkey_removed", removed.map(({ name }) => name).join(", "))
        return true
      }, atomically)

      return LostPasskeys.of({ remove })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, CredentialsRepo.layer, EmailOutbox.layer, PasskeysRepo.layer, SessionsRepo.layer])
  )
}
