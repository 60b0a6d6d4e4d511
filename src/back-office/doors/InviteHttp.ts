import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { NewPassword } from "../../accounts/passwords/Password.ts"
import * as FormToken from "../../pages/FormToken.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as Submissions from "../../pages/Submissions.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { Invites } from "../../staff/members/Invites.ts"
import * as AdminCookies from "../desk/AdminCookies.ts"
import * as AdminPaths from "../desk/AdminPaths.ts"
import { inviteDone, inviteGone, invitePage } from "./DoorPages.ts"

const purpose = "invite"

const decodePassword = Schema.decodeUnknownOption(NewPassword)

/** The page on which an invited person chooses a password. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const client = yield* ClientAddress
    const cookies = yield* AdminCookies.make
    const invites = yield* Invites
    const pathTo = yield* AdminPaths.make
    const read = yield* Submissions.make
    const token = Effect.map(RequestQuery.parameters, (query) => query.get("token") ?? "")
    const gone = () => answer(400, inviteGone(pathTo("sign-in")))

    const show = Effect.fnUntraced(function* (
      status: number,
      browser: string,
      wrong: { readonly fault?: Phrase; readonly problem?: Phrase } = {}
    ) {
      const invite = yield* invites.find(yield* token)
      return yield* answer(status, invitePage({ ...wrong, invite, form_token: FormToken.make(browser, purpose) }))
    })

    const accept = Effect.fnUntraced(function* (browser: string) {
      const { field, isGenuine } = yield* read(browser, purpose)
      if (!isGenuine) return yield* show(403, browser, { problem: tryAgain })
      const password = decodePassword(field("password"))
      if (Option.isNone(password)) return yield* show(422, browser, { fault: text("form.password_wrong") })
      return yield* invites.accept(yield* token, password.value, yield* client.current).pipe(
        Effect.andThen(answer(200, inviteDone(pathTo("sign-in")))),
        Effect.catchTag("RateLimited", (limited) =>
          show(429, browser, { problem: text("form.too_many_attempts", { when: tryAgainIn(limited) }) })
        )
      )
    })

    const path = pathTo("invite")
    yield* router.add(
      "GET",
      path,
      cookies.withBrowser((browser) => Effect.catchTag(show(200, browser), "InviteInvalid", gone))
    )
    yield* router.add(
      "POST",
      path,
      cookies.withBrowser((browser) => Effect.catchTag(accept(browser), "InviteInvalid", gone))
    )
  })
)
