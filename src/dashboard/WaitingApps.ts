import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Authorizations } from "../oauth/Authorizations.ts"
import { requestGone } from "./MessagePages.ts"
import { answer, redirect } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"
import { type Visitor, Visitors } from "./Visitors.ts"

/** Whether a person signs in for an app that waits, and how they go on. */
export interface Waiting {
  /** The app's name, while its request waits. */
  readonly app: string | undefined
  /** A request goes along that is over. */
  readonly isGone: boolean
  /** Where the way leads to for whoever is signed in. */
  readonly nextPath: string
  /** The pages for whoever is not. */
  readonly signInPath: string
  readonly registerPath: string
}

/** Requests of apps that wait in the browser while its person signs in; only their ids go along, in the query. */
export class WaitingApps extends Context.Service<WaitingApps>()("app/dashboard/WaitingApps", {
  make: Effect.gen(function* () {
    const authorizations = yield* Authorizations
    const visitors = yield* Visitors
    const [connections, consent, register, signIn] = yield* Effect.all([
      pathOf("connections"),
      pathOf("consent"),
      pathOf("register"),
      pathOf("sign-in")
    ])

    /** A request that waits in this browser, by an id as it was given. */
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

    /** The answer about a request that does not wait any more. */
    const gone = answer(410, requestGone(connections))

    /** A page for whoever is not signed in; others are led on. */
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
