import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { Page } from "../platform/fields/Page.ts"
import { type ConnectedApp, GrantId } from "./ConnectedApp.ts"
import { ConnectedAppNotFound, ConnectedAppOfAnotherUser } from "./ConnectedAppErrors.ts"
import { ConnectedAppsRepo } from "./ConnectedAppsRepo.ts"
import { ConnectionStates } from "./ConnectionStates.ts"

const isGrantId = Schema.is(GrantId)

/** Lists, limits and disconnects the connected apps of an account. */
export class ConnectedApps extends Context.Service<
  ConnectedApps,
  {
    /** Lists the connected apps, the newest first; `total` counts the apps of all pages. */
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly apps: ReadonlyArray<ConnectedApp>; readonly total: number }>
    /** Finds an app that is connected to this account. */
    readonly find: (owner: UserId, id: string) => Effect.Effect<ConnectedApp, ConnectedAppNotFound>
    /**
     * Sets the most that the app may spend in a day (UTC), in micro-dollars; null removes the limit. What the app has spent
     * today counts. Returns the changed app.
     */
    readonly setLimit: (
      owner: UserId,
      id: string,
      limit: bigint | null
    ) => Effect.Effect<ConnectedApp, ConnectedAppNotFound | ConnectedAppOfAnotherUser>
    /** Ends every connection of the app at that resource permanently. */
    readonly revoke: (
      owner: UserId,
      id: string
    ) => Effect.Effect<void, ConnectedAppNotFound | ConnectedAppOfAnotherUser>
  }
>()("app/oauth/ConnectedApps") {
  static readonly layerNoDeps = Layer.effect(
    ConnectedApps,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* ConnectedAppsRepo
      const states = yield* ConnectionStates

      const list = Effect.fn("ConnectedApps.list")(function* (owner: UserId, page: Page) {
        const now = yield* DateTime.now
        return { apps: yield* repo.list(owner, now, page), total: yield* repo.count(owner, now) }
      })

      const find = Effect.fn("ConnectedApps.find")(function* (owner: UserId, id: string) {
        if (!isGrantId(id)) return yield* new ConnectedAppNotFound()
        const found = yield* repo.find(owner, id, yield* DateTime.now)
        return Option.isSome(found) ? found.value : yield* new ConnectedAppNotFound()
      })

      const missing = Effect.fnUntraced(function* (owner: UserId, id: GrantId) {
        return yield* (yield* repo.isOfAnother(owner, id))
          ? new ConnectedAppOfAnotherUser()
          : new ConnectedAppNotFound()
      })

      const setLimit = Effect.fn("ConnectedApps.setLimit")(function* (owner: UserId, id: string, limit: bigint | null) {
        if (!isGrantId(id)) return yield* new ConnectedAppNotFound()
        if (!(yield* repo.setLimit(owner, id, limit, yield* DateTime.now))) return yield* missing(owner, id)
        yield* states.forget(id)
        return yield* find(owner, id)
      })

      const end = Effect.fnUntraced(function* (owner: UserId, id: GrantId) {
        yield* repo.holdAccount(owner)
        return yield* repo.revoke(owner, id, yield* DateTime.now)
      }, atomically)

      const revoke = Effect.fn("ConnectedApps.revoke")(function* (owner: UserId, id: string) {
        if (!isGrantId(id)) return yield* new ConnectedAppNotFound()
        if (yield* end(owner, id)) return yield* states.forget(id)
        return yield* missing(owner, id)
      })

      return ConnectedApps.of({ list, find, setLimit, revoke })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ConnectedAppsRepo.layer, ConnectionStates.layer]))
}
