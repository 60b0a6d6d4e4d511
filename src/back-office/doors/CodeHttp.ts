import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import * as FormToken from "../../pages/FormToken.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { tryAgain, tryAgainIn } from "../../pages/MessagePages.ts"
import * as NextPath from "../../pages/NextPath.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as Submissions from "../../pages/Submissions.ts"
import { StaffSignIn } from "../../staff/access/StaffSignIn.ts"
import type { SignInExpired } from "../../staff/StaffErrors.ts"
import * as AdminCookies from "../desk/AdminCookies.ts"
import * as AdminPaths from "../desk/AdminPaths.ts"
import { codePage, codesPage, enrolPage, signInEnded } from "./DoorPages.ts"

const purpose = "sign-in/code"

type Response = HttpServerResponse.HttpServerResponse

/** The page that asks for a code after the right password. A first sign-in sets the authenticator app up here. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const cookies = yield* AdminCookies.make
    const pathTo = yield* AdminPaths.make
    const read = yield* Submissions.make
    const signIn = yield* StaffSignIn
    const nextPath = NextPath.within(pathTo(""), [pathTo("")])

    const showCode = Effect.fnUntraced(function* (status: number, secret: string, problem?: Phrase) {
      const { enrolment } = yield* signIn.waiting(secret)
      const form_token = FormToken.make(secret, purpose)
      return yield* answer(
        status,
        enrolment === undefined ? codePage({ form_token, problem }) : enrolPage({ ...enrolment, form_token, problem })
      )
    })

    /** Runs a handler for the browser whose sign-in waits for a code. */
    const waiting = <R>(handler: (secret: string) => Effect.Effect<Response, SignInExpired, R>) =>
      Effect.flatMap(cookies.session, (secret) =>
        secret === undefined
          ? Effect.succeed(redirect(pathTo("sign-in")))
          : Effect.catchTag(handler(secret), "SignInExpired", () => answer(401, signInEnded(pathTo("sign-in"))))
      )

    const confirm = Effect.fnUntraced(function* (secret: string) {
      const form = yield* read(secret, purpose)
      if (!form.isGenuine) return yield* showCode(403, secret, tryAgain)
      const onward = nextPath((yield* RequestQuery.parameters).get("next"))
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
          RateLimited: (limited) => showCode(429, secret, text("admin.code_limited", { when: tryAgainIn(limited) }))
        })
      )
    })

    const path = pathTo("sign-in/code")
    yield* router.add(
      "GET",
      path,
      waiting((secret) => showCode(200, secret))
    )
    yield* router.add("POST", path, waiting(confirm))
  })
)
