import { Effect, Option, Result, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { User } from "../../accounts/User.ts"
import type { PendingAuthorization } from "../../oauth/Authorizations.ts"
import { Consent, type Decision } from "../../oauth/Consent.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as OAuthScope from "../../oauth/OAuthScope.ts"
import { readFields } from "../../pages/FormFields.ts"
import { consentPage, otherAccount } from "./ConsentPage.ts"
import { asTyped, LimitForm, limitMessages } from "./LimitField.ts"
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

const wrongLimit = limitMessages.daily_spend_limit_usd

type Choice = Pick<Decision, "approved" | "spending" | "daily_spend_limit_usd">

/** What is wrong with a form: as a whole, and with its limit. */
interface Fault {
  readonly problem: Phrase
  readonly limitFault?: Phrase | undefined
}

const isTicked = ({ field }: Submission) => field("orders_write") === "on"

/** Reads the decision. The limit counts only with the ticked box. */
const choiceOf = (form: Submission): Result.Result<Choice, Fault> => {
  const decision = form.field("decision")
  if (decision !== "approve" && decision !== "deny") return Result.fail({ problem: text("consent.no_decision") })
  const approved = decision === "approve"
  const spending = approved && isTicked(form)
  if (!spending) return Result.succeed({ approved, spending, daily_spend_limit_usd: null })
  return Result.mapBoth(readFields(LimitForm, limitMessages, form), {
    onSuccess: ({ daily_spend_limit_usd }) => ({
      approved,
      spending,
      daily_spend_limit_usd: daily_spend_limit_usd ?? null
    }),
    onFailure: (): Fault => ({ problem: wrongLimit, limitFault: wrongLimit })
  })
}

/** A request that waits for the decision of a signed-in person. */
interface Consenting {
  readonly visitor: Visitor
  readonly user: User
  readonly session_id: string
  readonly authorization: PendingAuthorization
}

/** Shows the page: with the proposed limit, or with what was typed into a genuine form. */
const makeShow = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const consent = yield* Consent
  const signOutPath = yield* pathOf("sign-out")

  const proposed = ({ authorization, user }: Consenting) =>
    OAuthScope.maySpend(authorization.scopes)
      ? Effect.map(consent.proposeLimit(user.id, authorization), asTyped)
      : Effect.undefined

  return Effect.fnUntraced(function* (status: number, waiting: Consenting, fault?: Fault, typed?: Submission) {
    const { authorization, user, visitor } = waiting
    const limit = typed === undefined ? yield* proposed(waiting) : typed.field("daily_spend_limit_usd")
    const page = consentPage({
      authorization,
      account: user.email ?? text("page.your_account"),
      form_token: visitor.formToken(purposeOf(authorization, user)),
      signOut: signOutForm(visitor, withRequest(signOutPath, authorization), otherAccount),
      problem: fault?.problem,
      spending: { isTicked: typed !== undefined && isTicked(typed), limit, limitFault: fault?.limitFault }
    })
    // The form leads to the app through a redirect.
    return yield* answer(status, page, { formTargets: [RedirectTarget.source(authorization.redirect_uri)] })
  })
})

/** The page on which a person approves or declines an app. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const address = yield* ClientAddress
    const consent = yield* Consent
    const show = yield* makeShow
    const visitors = yield* Visitors
    const waitingApps = yield* WaitingApps
    const path: PagePath = `${yield* pathOf("consent")}/:authorization_id`
    const signInPath = yield* pathOf("sign-in")

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

    const post = Effect.fnUntraced(function* (waiting: Consenting) {
      const { authorization, session_id, user, visitor } = waiting
      const form = yield* visitors.submission(visitor, purposeOf(authorization, user))
      if (!form.isGenuine) return yield* show(403, waiting, { problem: tryAgain })
      const choice = choiceOf(form)
      if (Result.isFailure(choice)) return yield* show(422, waiting, choice.failure, form)
      const decided = yield* consent.decide({
        authorization_id: authorization.id,
        browser_hash: visitor.browser_hash,
        user_id: user.id,
        session_id,
        ...choice.success,
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
          return yield* show(422, waiting, { problem: text("consent.nothing_granted") }, form)
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
