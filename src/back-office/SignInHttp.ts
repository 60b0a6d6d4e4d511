import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Email } from "../accounts/Email.ts"
import { GivenPassword } from "../accounts/passwords/Password.ts"
import * as FormToken from "../pages/FormToken.ts"
import { type Phrase, text } from "../pages/Html.ts"
import { tryAgain, tryAgainIn } from "../pages/MessagePages.ts"
import * as NextPath from "../pages/NextPath.ts"
import { makeAnswer, redirect } from "../pages/PageAnswer.ts"
import * as RequestQuery from "../pages/RequestQuery.ts"
import * as Submissions from "../pages/Submissions.ts"
import { WrongStaffCredentials } from "../staff/StaffErrors.ts"
import { StaffSignIn } from "../staff/access/StaffSignIn.ts"
import * as AdminCookies from "./AdminCookies.ts"
import * as AdminPaths from "./AdminPaths.ts"
import { codePage, codesPage, enrolPage, signInEnded, signInPage } from "./DoorPages.ts"

const purpose = "sign-in"
const codePurpose = "sign-in/code"

const credentials = Schema.decodeUnknownOption(
  Schema.Struct({ email: Schema.Tuple([Email]), password: Schema.Tuple([GivenPassword]) })
)

/** The pages on which staff sign in: the password, then the code, which a first sign-in sets up. */
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
      const attempt = Option.match(credentials({ email: form.all("email"), password: form.all("password") }), {
        onNone: () => Effect.fail(new WrongStaffCredentials()),
        onSome: ({ email: [email], password: [password] }) =>
          signIn.begin({ email, password, user_agent: headers["user-agent"] ?? "" })
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

    const showCode = Effect.fnUntraced(function* (status: number, secret: string, problem?: Phrase) {
      const { enrolment } = yield* signIn.waiting(secret)
      const form_token = FormToken.make(secret, codePurpose)
      return yield* answer(
        status,
        enrolment === undefined ? codePage({ form_token, problem }) : enrolPage({ ...enrolment, form_token, problem })
      )
    })

    /** Runs a handler for the browser whose sign-in waits for a code. */
    const waiting = <E extends { readonly _tag: string }, R>(
      handler: (secret: string) => Effect.Effect<Effect.Success<ReturnType<typeof answer>>, E, R>
    ) =>
      Effect.gen(function* () {
        const secret = yield* cookies.session
        return secret === undefined ? redirect(pathTo("sign-in")) : yield* handler(secret)
      })

    const ended = () => answer(401, signInEnded(pathTo("sign-in")))

    const confirm = Effect.fnUntraced(function* (secret: string) {
      const form = yield* read(secret, codePurpose)
      if (!form.isGenuine) return yield* showCode(403, secret, tryAgain)
      const onward = yield* next
      return yield* signIn.confirm(secret, form.field("otp") ?? "").pipe(
        Effect.flatMap(({ recovery_codes, secret: begun }) =>
          Effect.map(
            recovery_codes.length === 0
              ? Effect.succeed(redirect(onward))
              : answer(200, codesPage(recovery_codes, onward)),
            (response) => cookies.signIn(response, begun)
          )
        ),
        Effect.catchTags({
          WrongStaffCode: () => showCode(403, secret, text("admin.code_wrong")),
          RateLimited: (limited) => showCode(429, secret, text("form.too_many_attempts", { when: tryAgainIn(limited) }))
        })
      )
    })

    const [path, codePath] = [pathTo("sign-in"), pathTo("sign-in/code")] as const
    yield* router.add(
      "GET",
      path,
      cookies.withBrowser((browser) => showSignIn(200, browser))
    )
    yield* router.add("POST", path, cookies.withBrowser(begin))
    yield* router.add(
      "GET",
      codePath,
      Effect.catchTag(
        waiting((secret) => showCode(200, secret)),
        "SignInExpired",
        ended
      )
    )
    yield* router.add("POST", codePath, Effect.catchTag(waiting(confirm), "SignInExpired", ended))
  })
)
