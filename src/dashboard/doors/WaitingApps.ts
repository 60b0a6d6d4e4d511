import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authorizations } from "../../oauth/Authorizations.ts"
import { requestGone } from "../../pages/MessagePages.ts"
import * as NextPath from "../../pages/NextPath.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { type Visitor, Visitors } from "../../pages/Visitors.ts"

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
  /** The page that asks for the second factor. */
  readonly codePath: string
  readonly registerPath: string
}

/** Finds the requests of apps that wait while a person signs in. The query of the pages carries the id of the request. */
export class WaitingApps extends Context.Service<WaitingApps>()("app/dashboard/WaitingApps", {
  make: Effect.gen(function* () {
    const answer = yield* makeAnswer
    const authorizations = yield* Authorizations
    const next = yield* NextPath.make
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
      const asked = yield* RequestQuery.parameters
      const id = asked.get("authorization") ?? undefined
      const pending = yield* find(id, visitor)
      // The sign-in and the registration lead to each other, with the same next page.
      const kept = ["authorization", "next"].flatMap((name) => {
        const value = asked.get(name)
        return value === null ? [] : [`${name}=${encodeURIComponent(value)}`]
      })
      const query = kept.length === 0 ? "" : `?${kept.join("&")}`
      return {
        app: Option.getOrUndefined(pending)?.client.name,
        isGone: id !== undefined && Option.isNone(pending),
        nextPath: id === undefined ? next(asked.get("next")) : `${consent}/${encodeURIComponent(id)}`,
        signInPath: `${signIn}${query}`,
        codePath: `${signIn}/code${query}`,
        registerPath: `${register}${query}`
      } satisfies Waiting
    })

    /** The answer for a request that no longer waits. */
    const gone = answer(410, requestGone(connections))

    /** Shows a page to a person who is not signed in; redirects a signed-in person to the next page. */
    const doorway = (
      show: (
        visitor: Visitor,
        waiting: Waiting
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
    ) =>
      visitors.page(
        Effect.fnUntraced(function* (visitor) {
          const waiting = yield* current(visitor)
          if (waiting.isGone) return yield* gone
          return Option.isSome(visitor.signedIn) ? redirect(waiting.nextPath) : yield* show(visitor, waiting)
        })
      )

    return { find, current, doorway, gone }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
