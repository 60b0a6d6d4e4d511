import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Email } from "../../accounts/Email.ts"
import { GivenPassword } from "../../accounts/passwords/Password.ts"
import * as FormToken from "../../pages/FormToken.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import * as NextPath from "../../pages/NextPath.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as Submissions from "../../pages/Submissions.ts"
import { WrongStaffCredentials } from "../../staff/StaffErrors.ts"
import { StaffSignIn } from "../../staff/access/StaffSignIn.ts"
import * as AdminCookies from "../desk/AdminCookies.ts"
import * as AdminPaths from "../desk/AdminPaths.ts"
import { signInPage } from "./DoorPages.ts"

const purpose = "sign-in"

const credentials = Schema.decodeUnknownOption(
  Schema.Struct({ email: Schema.Tuple([Email]), password: Schema.Tuple([GivenPassword]) })
)

/** The page on which staff sign in with the password. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const cookies = yield* AdminCookies.make
    const pathTo = yield* AdminPaths.make
    const read = yield* Submissions.make
    const signIn = yield* StaffSignIn
    const nextPath = NextPath.within(pathTo(""), [pathTo("")])
    const next = Effect.map(RequestQuery.parameters, (query) => nextPath(query.get("next")))

    const showSignIn = (
      status: number,
      browser: string,
      again: { email?: string | undefined; problem?: Phrase } = {}
    ) => answer(status, signInPage({ ...again, form_token: FormToken.make(browser, purpose) }))

    const begin = Effect.fnUntraced(function* (browser: string) {
      const form = yield* read(browser, purpose)
      const again = (status: number, problem: Phrase) =>
        showSignIn(status, browser, { email: form.field("email"), problem })
      if (!form.isGenuine) return yield* again(403, tryAgain)
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const given = credentials({ email: form.all("email"), password: form.all("password") })
      const attempt = Effect.gen(function* () {
        if (Option.isNone(given)) return yield* new WrongStaffCredentials()
        const [[email], [password]] = [given.value.email, given.value.password]
        return yield* signIn.begin({ email, password, user_agent: headers["user-agent"] ?? "" })
      })
      const codePath = `${pathTo("sign-in/code")}?${new URLSearchParams({ next: yield* next }).toString()}`
      return yield* attempt.pipe(
        Effect.map((secret) => cookies.signIn(redirect(codePath), secret)),
        Effect.catchTags({
          WrongStaffCredentials: () => again(401, text("admin.wrong")),
          RateLimited: (limited) => again(429, text("form.too_many_attempts", { when: tryAgainIn(limited) }))
        })
      )
    })

    const path = pathTo("sign-in")
    yield* router.add(
      "GET",
      path,
      cookies.withBrowser((browser) => showSignIn(200, browser))
    )
    yield* router.add("POST", path, cookies.withBrowser(begin))
  })
)
