import { Duration, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Language from "./Language.ts"
import * as NextPath from "./NextPath.ts"
import { redirect } from "./PageAnswer.ts"
import * as PageCookies from "./PageCookies.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"

/** Keeps the language that a person chose in a cookie, and redirects back to the page. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { language, secure } = yield* PageCookies.names
    const next = yield* NextPath.make
    for (const code of Object.keys(Language.names))
      yield* router.add(
        "GET",
        yield* pathOf(`language/${code}`),
        Effect.map(RequestQuery.parameters, (query) =>
          HttpServerResponse.setCookieUnsafe(redirect(next(query.get("next"))), language, code, {
            path: "/",
            sameSite: "lax",
            maxAge: Duration.days(400),
            secure
          })
        )
      )
  })
)
