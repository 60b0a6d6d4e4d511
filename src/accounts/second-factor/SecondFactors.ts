import { Clock, Context, type DateTime, Effect, Layer, Option } from "effect"
import { Brand } from "../../brand/Brand.ts"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import type { MailWords } from "../../brand/MailTemplates.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"
import { SecondFactorsRepo } from "../SecondFactorsRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"
import * as Otp from "./Otp.ts"
import * as RecoveryCodes from "./RecoveryCodes.ts"
import * as Totp from "./Totp.ts"

/** The second factor of an account. `enabled_at` is null while it is off. */
export interface SecondFactorState {
  readonly enabled_at: DateTime.Utc | null
  readonly recovery_codes_left: number
}

/** The second factor of sign-ins: codes of an authenticator app, and recovery codes (docs/contract.md, "Second factor"). */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    readonly state: (user_id: UserId) => Effect.Effect<SecondFactorState>
    readonly isOn: (user_id: UserId) => Effect.Effect<boolean>
    /**
     * Uses up a code of the app or a recovery code, in the caller's transaction, which has locked the account. False when
     * the code is wrong or used up, or when the second factor is off. The caller limits the attempts (`AuthLimits.otp`).
     */
    readonly use: (user_id: UserId, otp: string) => Effect.Effect<boolean>
    /**
     * Turns the second factor off, signs out all sessions but the one that is kept, and mails that; false when it is off.
     * Needs no code: the caller has checked one.
     */
    readonly remove: (user_id: UserId, kept?: string) => Effect.Effect<boolean>
  }
>()("app/accounts/SecondFactors") {
  static readonly layerNoDeps = Layer.effect(
    SecondFactors,
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const atomically = yield* Atomically
      const brand = yield* Brand
      const credentials = yield* CredentialsRepo
      const outbox = yield* EmailOutbox
      const repo = yield* SecondFactorsRepo
      const sessions = yield* SessionsRepo

      const state = Effect.fn("SecondFactors.state")(function* (user_id: UserId) {
        const factor = Option.getOrUndefined(yield* repo.find(user_id))
        return { enabled_at: factor?.enabled_at ?? null, recovery_codes_left: factor?.recovery_codes_left ?? 0 }
      })

      /** Mails the owner of an account, in the language of the account. */
      const tell = Effect.fnUntraced(function* (user_id: UserId, mailIn: (language: LanguageCode) => MailWords) {
        const account = Option.getOrUndefined(yield* credentials.find(user_id))
        if (account === undefined || account.email === null) return
        const { email, language } = account
        yield* outbox.add({ kind: "notice", to_address: email, language, ...mailIn(language) })
      })

      const useRecoveryCode = Effect.fnUntraced(function* (user_id: UserId, code: string, left: number) {
        if (!(yield* repo.useRecoveryCode(user_id, RecoveryCodes.hashOf(code)))) return false
        yield* tell(user_id, (language) => EmailTexts.recoveryCodeUsed(brand, language, addresses, left - 1))
        return true
      })

      const use = Effect.fn("SecondFactors.use")(function* (user_id: UserId, otp: string) {
        const factor = yield* repo.find(user_id)
        const given = Otp.parse(otp)
        if (Option.isNone(factor) || given === undefined) return false
        const { last_step, recovery_codes_left, secret } = factor.value
        if (given.kind === "recovery") return yield* useRecoveryCode(user_id, given.code, recovery_codes_left)
        const step = Totp.acceptedStep(secret, given.code, yield* Clock.currentTimeMillis, Number(last_step))
        return step !== undefined && (yield* repo.useStep(user_id, step))
      })

      const remove = Effect.fn("SecondFactors.remove")(function* (user_id: UserId, kept?: string) {
        yield* credentials.lock(user_id)
        const removed = yield* repo.remove(user_id)
        if (!removed) return false
        yield* kept === undefined ? sessions.removeAll(user_id) : sessions.removeOthers(user_id, kept)
        yield* tell(user_id, (language) => EmailTexts.secondFactorOff(brand, language, addresses))
        return true
      }, atomically)

      return SecondFactors.of({
        state,
        isOn: (user_id) => Effect.map(repo.find(user_id), Option.isSome),
        use,
        remove
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      Addresses.layer,
      CredentialsRepo.layer,
      EmailOutbox.layer,
      SecondFactorsRepo.layer,
      SessionsRepo.layer
    ])
  )
}
