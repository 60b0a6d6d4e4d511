import { Duration, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Users } from "../accounts/users/Users.ts"
import { codes, type LanguageCode } from "../brand/LanguageCode.ts"
import * as FormOrigin from "./FormOrigin.ts"
import * as NextPath from "./NextPath.ts"
import { redirect } from "./PageAnswer.ts"
import * as PageCookies from "./PageCookies.ts"
import { SignedIn } from "./PageLimits.ts"
import { pathOf } from "./PagePaths.ts"
import * as RequestQuery from "./RequestQuery.ts"

/**
 * Keeps the language that a person chose in a cookie, and redirects back to the page. For a signed-in person, it becomes
 * the language of the account's mails and notifications too.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { language, secure } = yield* PageCookies.names
    const next = yield* NextPath.make
    const originOf = yield* FormOrigin.make
    const users = yield* Users

    const keep = Effect.fnUntraced(function* (code: LanguageCode) {
      const signedIn = yield* SignedIn
      // A link of another site must not change an account.
      const isForeign = originOf(yield* HttpServerRequest.HttpServerRequest) === "elsewhere"
      if (Option.isNone(signedIn) || isForeign) return
      const { user } = signedIn.value
      if (user.language === code) return
      // The account may have been deleted in the meantime.
      yield* users.update(user.id, { language: code }).pipe(Effect.catchTag("UserNotFound", () => Effect.void))
    }, Effect.orDie)

    const choose = Effect.fnUntraced(function* (code: LanguageCode) {
      yield* keep(code)
      const query = yield* RequestQuery.parameters
      return HttpServerResponse.setCookieUnsafe(redirect(next(query.get("next"))), language, code, {
        path: "/",
        sameSite: "lax",
        maxAge: Duration.days(400),
        secure
      })
    })

    for (const code of codes) yield* router.add("GET", yield* pathOf(`language/${code}`), choose(code))
  })
)
