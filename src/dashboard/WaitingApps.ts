import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Authorizations } from "../oauth/Authorizations.ts"
import { requestGone } from "./MessagePages.ts"
import { makeAnswer, redirect } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"
import { type Visitor, Visitors } from "./Visitors.ts"

/** The app for which a person signs in, and the paths of the next steps. */
export interface Waiting {
  /** The name of the app whose request waits. */
  readonly app: string | undefined
  /** True when the query names a request that no longer waits. */
  readonly isGone: boolean
  /** The page after signing in. */
  readonly nextPath: string
  /** The pages for a person who is not signed in. */
  readonly signInPath: string
  readonly registerPath: string
}

/** Finds the requests of apps that wait while a person signs in. The query of the pages carries the id of the request. */
export class WaitingApps extends Context.Service<WaitingApps>()("app/dashboard/WaitingApps", {
  make: Effect.gen(function* () {
    const answer = yield* makeAnswer
    const authorizations = yield* Authorizations
    const visitors = yield* Visitors
    const [connections, consent, register, signIn] = yield* Effect.all([
      pathOf("connections"),
      pathOf("consent"),
      pathOf("register"),
      pathOf("sign-in")
    ])

    /** Finds a request that waits in this browser; `id` comes from the query or the path. */
    const find = (id: string | undefined, { browser_hash }: Visitor) =>
      id === undefined ? Effect.succeedNone : authorizations.find(id, browser_hash)

    const current = Effect.fnUntraced(function* (visitor: Visitor) {
      const id = (yield* RequestQuery.parameters).get("authorization") ?? undefined
      const pending = yield* find(id, visitor)
      const query = id === undefined ? "" : `?authorization=${encodeURIComponent(id)}`
      return {
        app: Option.getOrUndefined(pending)?.client.name,
        isGone: id !== undefined && Option.isNone(pending),
        nextPath: id === undefined ? connections : `${consent}/${encodeURIComponent(id)}`,
        signInPath: `${signIn}${query}`,
        registerPath: `${register}${query}`
      } satisfies Waiting
    })

    /** The answer for a request that no longer waits. */
    const gone = answer(410, requestGone(connections))

    /** Shows a page to a person who is not signed in; redirects a signed-in person to the next page. */
    const doorway = (show: (visitor: Visitor, waiting: Waiting) => HttpServerResponse.HttpServerResponse) =>
      visitors.page(
        Effect.fnUntraced(function* (visitor) {
          const waiting = yield* current(visitor)
          if (waiting.isGone) return gone
          return Option.isSome(visitor.signedIn) ? redirect(waiting.nextPath) : show(visitor, waiting)
        })
      )

    return { find, current, doorway, gone }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
