import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { BrowserSessionsRepo } from "./BrowserSessionsRepo.ts"
import * as ReadClient from "./ReadClient.ts"
import { Sessions, sessionDays } from "./Sessions.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import { SignInPasses } from "./SignInPasses.ts"
import type { User } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

/** Cookies of a signed-in browser. `known` identifies the browser after the session has ended (`SignInPasses`). */
export interface BrowserCookies {
  readonly session: string
  readonly known: string
}

/** A use is recorded, and extends the session, at most once in this time. */
const usedPrecision = Duration.minutes(5)

/**
 * Sessions that a browser holds by a cookie. They expire 30 days after the last use. Like other sessions, they end when
 * the person signs out everywhere, changes the password or deletes the account.
 */
export class BrowserSessions extends Context.Service<
  BrowserSessions,
  {
    /**
     * Begins a session in the caller's transaction and makes the browser known. Returns the values of the cookies; the
     * service stores only their hashes. `known` is the value of the browser's earlier cookie.
     */
    readonly start: (user: User, known?: string | undefined) => Effect.Effect<BrowserCookies>
    /** Finds the account of a cookie while its session has not ended. */
    readonly find: (token: string) => Effect.Effect<Option.Option<{ readonly user: User; readonly session_id: string }>>
    readonly end: (token: string) => Effect.Effect<void>
  }
>()("app/accounts/BrowserSessions") {
  static readonly layerNoDeps = Layer.effect(
    BrowserSessions,
    Effect.gen(function* () {
      const passes = yield* SignInPasses
      const readClient = yield* ReadClient.make
      const repo = yield* BrowserSessionsRepo
      const sessions = yield* Sessions
      const sessionsRepo = yield* SessionsRepo
      const users = yield* UsersRepo

      const start = Effect.fn("BrowserSessions.start")(function* (user: User, known?: string | undefined) {
        const session = yield* Secrets.make("pbs_")
        yield* repo.insert({ token_hash: Secrets.digest(session), session_id: yield* sessions.begin(user) })
        return { session, known: yield* passes.remember(user.id, known) }
      })

      const find = Effect.fn("BrowserSessions.find")(function* (token: string) {
        const now = yield* DateTime.now
        const session = yield* repo.findLive(Secrets.digest(token), now)
        if (Option.isNone(session)) return Option.none()
        const { last_used_at, session_id, user_id } = session.value
        if (DateTime.isLessThanOrEqualTo(DateTime.addDuration(last_used_at, usedPrecision), now))
          yield* sessionsRepo.use(session_id, yield* readClient, now, DateTime.add(now, { days: sessionDays }))
        return Option.map(yield* users.find(user_id), (user) => ({ user, session_id }))
      })

      const end = Effect.fn("BrowserSessions.end")((token: string) => repo.remove(Secrets.digest(token)))

      return BrowserSessions.of({ start, find, end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      BrowserSessionsRepo.layer,
      ClientAddress.layer,
      Sessions.layer,
      SessionsRepo.layer,
      SignInPasses.layer,
      UsersRepo.layer
    ])
  )
}
