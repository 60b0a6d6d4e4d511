import { Effect, Option, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { User } from "../../accounts/User.ts"
import type { PendingAuthorization } from "../../oauth/Authorizations.ts"
import { Consent } from "../../oauth/Consent.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { consentPage, otherAccount } from "./ConsentPage.ts"
import { tryAgain } from "../../pages/MessagePages.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { type PagePath, pathOf } from "../../pages/PagePaths.ts"
import * as RedirectTarget from "./RedirectTarget.ts"
import { signOutForm } from "../../pages/SignOutForm.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"
import { WaitingApps } from "../doors/WaitingApps.ts"

type Response = HttpServerResponse.HttpServerResponse

const idInPath = HttpRouter.schemaPathParams(Schema.Struct({ authorization_id: Schema.String })).pipe(
  Effect.map(({ authorization_id }) => authorization_id),
  Effect.orDie
)

/** A consent form is valid for one request and one account. */
const purposeOf = ({ id }: PendingAuthorization, user: User) => `consent:${id}:${user.id}`

const withRequest = (path: string, { id }: PendingAuthorization) => `${path}?authorization=${id}`

const choiceOf = ({ field }: Submission) => {
  const decision = field("decision")
  if (decision !== "approve" && decision !== "deny") return undefined
  const approved = decision === "approve"
  return { approved, spending: approved && field("orders_write") === "on" }
}

/** A request that waits for the decision of a signed-in person. */
interface Consenting {
  readonly visitor: Visitor
  readonly user: User
  readonly session_id: string
  readonly authorization: PendingAuthorization
}

/** The page on which a person approves or declines an app. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const address = yield* ClientAddress
    const consent = yield* Consent
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path: PagePath = `${yield* pathOf("consent")}/:authorization_id`
    const signInPath = yield* pathOf("sign-in")
    const signOutPath = yield* pathOf("sign-out")

    const consenting = <E, R>(handler: (consenting: Consenting) => Effect.Effect<Response, E, R>) =>
      visitors.page(
        Effect.fnUntraced(function* (visitor) {
          const found = yield* waitingApps.find(yield* idInPath, visitor)
          if (Option.isNone(found)) return yield* waitingApps.gone
          const authorization = found.value
          if (Option.isNone(visitor.signedIn)) return redirect(withRequest(signInPath, authorization))
          return yield* handler({ visitor, authorization, ...visitor.signedIn.value })
        })
      )

    const show = (status: number, { authorization, user, visitor }: Consenting, problem?: Phrase) =>
      answer(
        status,
        consentPage({
          authorization,
          account: user.email ?? text("page.your_account"),
          form_token: visitor.formToken(purposeOf(authorization, user)),
          signOut: signOutForm(visitor, withRequest(signOutPath, authorization), otherAccount),
          problem
        }),
        // The form leads to the app through a redirect.
        { formTargets: [RedirectTarget.source(authorization.redirect_uri)] }
      )

    const post = Effect.fnUntraced(function* (waiting: Consenting) {
      const { authorization, session_id, user, visitor } = waiting
      const form = yield* visitors.submission(visitor, purposeOf(authorization, user))
      if (!form.isGenuine) return yield* show(403, waiting, tryAgain)
      const choice = choiceOf(form)
      if (choice === undefined) return yield* show(422, waiting, text("consent.no_decision"))
      const decided = yield* consent.decide({
        authorization_id: authorization.id,
        browser_hash: visitor.browser_hash,
        user_id: user.id,
        session_id,
        ...choice,
        client_address: yield* address.current
      })
      switch (decided._tag) {
        case "Redirect":
          return redirect(decided.location)
        case "Gone":
          return yield* waitingApps.gone
        case "SignedOut":
          return visitors.signOut(redirect(withRequest(signInPath, authorization)))
        case "NothingGranted":
          return yield* show(422, waiting, text("consent.nothing_granted"))
      }
    })

    yield* router.add(
      "GET",
      path,
      consenting((waiting) => show(200, waiting))
    )
    yield* router.add("POST", path, consenting(post))
  })
)
