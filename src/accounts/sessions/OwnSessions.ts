import { Context, DateTime, Effect, Layer } from "effect"
import type { Page } from "../../platform/fields/Page.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { SessionNotFound } from "../AccountErrors.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import type { Session } from "../Session.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"

/** Shows an account's sessions to its owner, and ends them. */
export class OwnSessions extends Context.Service<
  OwnSessions,
  {
    /** Lists the sessions that have not ended, the last used first. */
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly sessions: ReadonlyArray<Session>; readonly total: number }>
    /** Ends one session with its tokens. */
    readonly end: (owner: UserId, id: string) => Effect.Effect<void, SessionNotFound>
    /** Ends every session except `kept`. */
    readonly endOthers: (owner: UserId, kept: string) => Effect.Effect<void>
  }
>()("app/accounts/OwnSessions") {
  static readonly layerNoDeps = Layer.effect(
    OwnSessions,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const credentials = yield* CredentialsRepo
      const repo = yield* SessionsRepo

      const list = Effect.fn("OwnSessions.list")(function* (owner: UserId, page: Page) {
        const now = yield* DateTime.now
        return { sessions: yield* repo.list(owner, now, page), total: yield* repo.count(owner, now) }
      })

      // Both lock the account, so that what a session just approves is committed before or refused after (`Sessions.hold`).

      const end = Effect.fn("OwnSessions.end")(function* (owner: UserId, id: string) {
        yield* credentials.lock(owner)
        if (!(yield* repo.removeOwn(id, owner))) return yield* new SessionNotFound()
      }, atomically)

      const endOthers = Effect.fn("OwnSessions.endOthers")(function* (owner: UserId, kept: string) {
        yield* credentials.lock(owner)
        yield* repo.removeOthers(owner, kept)
      }, atomically)

      return OwnSessions.of({ list, end, endOthers })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([CredentialsRepo.layer, SessionsRepo.layer]))
}
