import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { PasskeyRefused, PasskeyTooLate } from "../AccountErrors.ts"
import type { Credentials } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import type { Passkey } from "../Passkey.ts"
import { PasskeysRepo } from "../PasskeysRepo.ts"
import { PasskeyChallenges } from "./PasskeyChallenges.ts"
import * as PasskeyMails from "./PasskeyMails.ts"
import { handleOf } from "./PasskeyOptions.ts"
import { readSigned, WebAuthn } from "./WebAuthn.ts"

/** The owner gets at most one mail in this time about a passkey that is refused again and again. */
const mailPause = Duration.days(1)

const boundTo = (browser: string) => ({ browser, purpose: "sign-in" as const })

/** A page gives this to the browser: the options of Web Authentication, and the ticket of their challenge. */
export interface Offer {
  readonly options: object
  readonly ticket: string
}

/** A browser sends this back. `credential` is JSON. */
export interface Answer {
  readonly ticket: string
  readonly credential: string
}

/** A passkey that signed a challenge. */
export interface Proof {
  readonly passkey: Passkey
  readonly challenge: string
  readonly expires_at: DateTime.Utc
  readonly sign_count: bigint
  readonly is_synced: boolean
}

/** Proves people by their passkeys (docs/contract.md, "Passkeys"). */
export class PasskeyProofs extends Context.Service<
  PasskeyProofs,
  {
    /** Asks a browser for a passkey; none when the address of the service cannot have passkeys. */
    readonly ask: (browser_hash: string) => Effect.Effect<Option.Option<Offer>>
    /** Verifies the answer of the same browser, outside of any transaction. */
    readonly verify: (browser_hash: string, answer: Answer) => Effect.Effect<Proof, PasskeyRefused | PasskeyTooLate>
    /**
     * Uses up the challenge and records the sign-in, in the caller's transaction, which has locked the account. False when
     * the passkey must be refused: it was removed, or its authenticator counted backwards. Then the owner gets a mail, so
     * the caller must commit.
     */
    readonly use: (account: Credentials, proof: Proof) => Effect.Effect<boolean, PasskeyTooLate>
  }
>()("app/accounts/PasskeyProofs") {
  static readonly layerNoDeps = Layer.effect(
    PasskeyProofs,
    Effect.gen(function* () {
      const challenges = yield* PasskeyChallenges
      const repo = yield* PasskeysRepo
      const tell = yield* PasskeyMails.make
      const webAuthn = yield* WebAuthn

      const ask = Effect.fn("PasskeyProofs.ask")(function* (browser_hash: string) {
        if (!webAuthn.isPossible) return Option.none()
        const { challenge, ticket } = yield* challenges.make(boundTo(browser_hash))
        return Option.some({ options: webAuthn.requestOptions(challenge), ticket })
      })

      const verify = Effect.fn("PasskeyProofs.verify")(function* (browser_hash: string, answer: Answer) {
        const asked = yield* challenges.read(boundTo(browser_hash), answer.ticket)
        if (Option.isNone(asked)) return yield* new PasskeyTooLate()
        const signed = Option.getOrUndefined(readSigned(answer.credential))
        if (signed === undefined) return yield* new PasskeyRefused()
        const passkey = Option.getOrUndefined(yield* repo.findByCredential(signed.id))
        const isOwn = passkey !== undefined && handleOf(passkey.user_id) === signed.response.userHandle
        if (!isOwn) return yield* new PasskeyRefused()
        const { challenge, expires_at } = asked.value
        const state = yield* webAuthn
          .verify(signed, challenge, passkey)
          .pipe(Effect.catchTag("NotProven", () => new PasskeyRefused()))
        return { passkey, challenge, expires_at, ...state }
      })

      const refuse = Effect.fnUntraced(function* (account: Credentials, { id, name, refused_at }: Passkey) {
        const now = yield* DateTime.now
        const isRecent = refused_at !== null && DateTime.isGreaterThan(DateTime.addDuration(refused_at, mailPause), now)
        if (isRecent) return
        yield* repo.refuse(id, now)
        yield* tell(account, "passkey_refused", name)
      })

      const use = Effect.fn("PasskeyProofs.use")(function* (account: Credentials, proof: Proof) {
        const { challenge, expires_at, is_synced, passkey, sign_count } = proof
        const stored = Option.getOrUndefined(yield* repo.find(account.id, passkey.id))
        if (stored === undefined) return false
        if (!(yield* repo.answer(challenge, expires_at))) return yield* new PasskeyTooLate()
        // An authenticator that does not count always reports 0 (Web Authentication, Level 3).
        const counts = sign_count > 0n || stored.sign_count > 0n
        if (counts && sign_count <= stored.sign_count) {
          yield* refuse(account, stored)
          return false
        }
        yield* repo.use(passkey.id, { sign_count, is_synced, now: yield* DateTime.now })
        return true
      })

      return PasskeyProofs.of({ ask, verify, use })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, EmailOutbox.layer, PasskeyChallenges.layer, PasskeysRepo.layer, WebAuthn.layer])
  )
}
