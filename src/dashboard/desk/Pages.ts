import { Context, DateTime, Effect, Layer, Option, Result, type Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Announcements } from "../../announcements/Announcements.ts"
import { Flags } from "../../flags/Flags.ts"
import { flag } from "../../ip-check/IpCheckGate.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { type Faults, hidden } from "../../pages/Field.ts"
import { type FieldMessage, readFields } from "../../pages/FormFields.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { tryAgain } from "../../pages/MessagePages.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import { signOutForm } from "../../pages/SignOutForm.ts"
import { type Submission, type Visitor, Visitors } from "../../pages/Visitors.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import { refusedPage } from "./RefusedPage.ts"
import { signedOutPage } from "./SignedOutPage.ts"
import { purposeOf, type Visit } from "./Visit.ts"

const signOutButton = html`<button class="link">${text("desk.sign_out_button")}</button>`

type Response = HttpServerResponse.HttpServerResponse

/** A page, or a redirect. */
type Shown = Page | Response

const isPage = (shown: Shown): shown is Page => "title" in shown

/** A form of a page: how its fields are read, what it does, and how the page shows it again. */
interface Form<S extends Schema.ConstraintDecoder<unknown>, E, R, E2, R2> {
  readonly fields: S
  /** The message of each field that is not valid. */
  readonly messages: Readonly<Record<keyof S["Type"] & string, FieldMessage>>
  /** Shows the page again with what was typed. */
  readonly again: (visit: Visit, faults: Faults, typed: Submission) => Effect.Effect<Shown, E2, R2>
  readonly act: (visit: Visit, fields: S["Type"]) => Effect.Effect<Shown, E, R>
  /** Says a failure of `act`, where the page has a better place or a link; otherwise `faultsOf` says it. */
  readonly told?: (failure: E, visit: Visit) => Faults
}

const pathOfRequest = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => url.split("?")[0] ?? url)

/** Makes the function that reads what a page shows of its person. */
const makeVisit = Effect.gen(function* () {
  const announcements = yield* Announcements
  const flags = yield* Flags
  const notifications = yield* Notifications
  const wallets = yield* Wallets
  const home = (yield* pathOf("")).replace(/\/$/, "")
  const pathTo = (name: string) => (name === "" ? home || "/" : `${home}/${name}`)

  const visitOf = Effect.fnUntraced(function* (visitor: Visitor, user: Visit["user"], session_id: string) {
    const { balance } = yield* wallets.balance(user.id, "USD")
    return {
      user,
      session_id,
      balance,
      unread: yield* notifications.unread(user.id),
      hasIpChecks: yield* flags.enabled(flag, user.id),
      announcements: yield* announcements.current(user.id),
      now: yield* DateTime.now,
      query: yield* RequestQuery.parameters,
      pathTo,
      signOut: signOutForm(visitor, pathTo("sign-out"), signOutButton),
      form: (path, content, { class: name, id } = {}) =>
        html`<form
          method="post"
          action="${path}"
          ${id !== undefined && html` id="${id}"`}${name !== undefined && html` class="${name}"`}
        >
          ${hidden("form_token", visitor.formToken(purposeOf(path, user)))}${content}
        </form>`
    } satisfies Visit
  })
  return { pathTo, visitOf }
})

/** Makes the function that runs a handler for the signed-in person, and that tells its failures. */
const makeVisited = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const visitors = yield* Visitors
  const { pathTo, visitOf } = yield* makeVisit

  const signInPath = pathTo("sign-in")

  /** Leads to the sign-in, and from there back to the page. A form is kept: nothing that was typed is lost. */
  const signIn = Effect.fnUntraced(function* (visitor: Visitor) {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    if (method === "GET") return redirect(`${signInPath}?${new URLSearchParams({ next: url }).toString()}`)
    const { typed } = yield* visitors.submission(visitor, "")
    return yield* typed.length === 0
      ? Effect.succeed(redirect(signInPath))
      : answer(401, signedOutPage({ fields: typed, path: url, signInPath }))
  })

  return <E extends Failure, R>(handler: (visit: Visit, visitor: Visitor) => Effect.Effect<Response, E, R>) =>
    visitors.page((visitor) =>
      Effect.gen(function* () {
        if (Option.isNone(visitor.signedIn)) return yield* signIn(visitor)
        const { session_id, user } = visitor.signedIn.value
        const visit = yield* visitOf(visitor, user, session_id)
        return yield* Effect.catch(handler(visit, visitor), (failure) =>
          Effect.flatMap(pathOfRequest, (path) => answer(failure.status, refusedPage(visit, path, faultsOf(failure))))
        )
      })
    )
})

/**
 * Runs the pages of the dashboard. They belong to a signed-in person and hold no rule of their own: they call the services of
 * the API, and tell the failures of these.
 */
export class Pages extends Context.Service<Pages>()("app/dashboard/Pages", {
  make: Effect.gen(function* () {
    const answer = yield* makeAnswer
    const visitors = yield* Visitors
    const visited = yield* makeVisited

    const shown = (status: number) => (shown: Shown) => (isPage(shown) ? answer(status, shown) : Effect.succeed(shown))

    /** Shows a page. */
    const show = <E extends Failure, R>(handler: (visit: Visit) => Effect.Effect<Shown, E, R>) =>
      visited((visit) => Effect.flatMap(handler(visit), shown(200)))

    /** Takes a form: it must be genuine and well-formed, and its service must accept it. Else shows its page again. */
    const take = <S extends Schema.ConstraintDecoder<unknown>, E extends Failure, R, E2 extends Failure, R2>(
      form: Form<S, E, R, E2, R2>
    ) =>
      visited(
        Effect.fnUntraced(function* (visit: Visit, visitor: Visitor) {
          const typed = yield* visitors.submission(visitor, purposeOf(yield* pathOfRequest, visit.user))
          const again = (status: number, faults: Faults) =>
            Effect.flatMap(form.again(visit, faults, typed), shown(status))
          if (!typed.isGenuine) return yield* again(403, { "": tryAgain })
          const read = readFields(form.fields, form.messages, typed)
          if (Result.isFailure(read)) return yield* again(422, read.failure)
          return yield* form.act(visit, read.success).pipe(
            Effect.flatMap(shown(200)),
            Effect.catch((failure) => again(failure.status, (form.told ?? faultsOf)(failure, visit)))
          )
        })
      )

    /** Takes a form that is only a button. */
    const press = <E extends Failure, R>(act: (visit: Visit) => Effect.Effect<Shown, E, R>) =>
      visited(
        Effect.fnUntraced(function* (visit: Visit, visitor: Visitor) {
          const path = yield* pathOfRequest
          const { isGenuine } = yield* visitors.submission(visitor, purposeOf(path, visit.user))
          if (!isGenuine) return yield* answer(403, refusedPage(visit, path, { "": tryAgain }))
          return yield* Effect.flatMap(act(visit), shown(200))
        })
      )

    return { show, take, press }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
