import { Context, DateTime, Effect, Layer, Option, Predicate, Result, type Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type Faults, hidden } from "../../pages/Field.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import { type FieldMessage, readFields } from "../../pages/FormFields.ts"
import * as FormToken from "../../pages/FormToken.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { tryAgain } from "../../pages/MessagePages.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import * as RequestQuery from "../../pages/RequestQuery.ts"
import * as Submissions from "../../pages/Submissions.ts"
import { longBody } from "../../platform/requests/LongBody.ts"
import type { Actor } from "../../staff/Actor.ts"
import { StaffCredentials } from "../../staff/access/StaffCredentials.ts"
import { StaffSignIn } from "../../staff/access/StaffSignIn.ts"
import * as AdminCookies from "./AdminCookies.ts"
import { adminPage } from "./AdminPage.ts"
import * as AdminPaths from "./AdminPaths.ts"
import type { AdminVisit } from "./AdminVisit.ts"
import { confirmPage } from "./ConfirmPage.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A page, or a redirect. */
type Shown = Page | Response

const isPage = (shown: Shown): shown is Page => "title" in shown

const pathOfRequest = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => url.split("?")[0] ?? url)

/** A form of a page: how its fields are read, what it does, and how the page shows it again. */
interface Form<S extends Schema.ConstraintDecoder<unknown>, E, R, E2, R2> {
  readonly fields: S
  /** True for a form that contains a file, which is longer than the fields of other forms. */
  readonly isLong?: boolean
  /** The message of each field that is not valid. */
  readonly messages: Readonly<Record<keyof S["Type"] & string, FieldMessage>>
  /** Shows the page again with what was typed. */
  readonly again: (visit: AdminVisit, faults: Faults, typed: Submissions.Submission) => Effect.Effect<Shown, E2, R2>
  readonly act: (visit: AdminVisit, fields: S["Type"]) => Effect.Effect<Shown, E, R>
}

/** Makes the function that confirms a session with the password and the code of a form. Returns the faults of the form. */
const makeConfirm = Effect.map(StaffSignIn, (signIn) =>
  Effect.fnUntraced(function* (secret: string, actor: Actor["Service"], { field }: Submissions.Submission) {
    const [password, code] = [field("confirm_password") ?? "", field("confirm_code")]
    if (code === undefined) return {}
    return yield* signIn.stepUp(secret, actor, { password, code }).pipe(
      Effect.as({} as Faults),
      Effect.catchTags({
        WrongStaffCredentials: () => Effect.succeed({ confirm_password: text("admin.confirm_wrong") }),
        WrongStaffCode: () => Effect.succeed({ confirm_code: text("admin.code_wrong") }),
        RateLimited: (limited) => Effect.succeed(faultsOf(limited))
      })
    )
  })
)

/** Makes the function that runs a handler for the signed-in person, and that tells its failures. */
const makeVisited = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const cookies = yield* AdminCookies.make
  const credentials = yield* StaffCredentials
  const pathTo = yield* AdminPaths.make

  /** Finds who is signed in, and makes what the pages need of the request. */
  const visitOf = Effect.fnUntraced(function* (secret: string) {
    const found = yield* credentials.find(secret)
    if (Option.isNone(found)) return undefined
    return {
      actor: found.value.actor,
      now: yield* DateTime.now,
      query: yield* RequestQuery.parameters,
      pathTo,
      form: (path, content) =>
        html`<form method="post" action="${path}">
          ${hidden("form_token", FormToken.make(secret, path))}${content}
        </form>`
    } satisfies AdminVisit
  })

  /** Leads to the sign-in, and from there back to the page. A form is not repeated. */
  const signIn = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const path = url.split("?")[0] ?? ""
    const next = method === "GET" ? url : path === pathTo("sign-out") ? pathTo("") : path
    return redirect(`${pathTo("sign-in")}?${new URLSearchParams({ next }).toString()}`)
  })

  const refused = (visit: AdminVisit, status: number, faults: Faults) =>
    answer(
      status,
      adminPage(
        visit,
        { title: text("desk.refused_title"), section: "none", faults },
        html`<p><a href="${pathTo("")}">${text("desk.refused_link")}</a></p>`
      )
    )

  const visited = <E extends Failure, R>(
    handler: (visit: AdminVisit, secret: string) => Effect.Effect<Response, E, R>
  ) =>
    Effect.gen(function* () {
      const secret = yield* cookies.session
      const visit = secret === undefined ? undefined : yield* visitOf(secret)
      if (secret === undefined || visit === undefined) return yield* signIn
      return yield* Effect.catch(handler(visit, secret), (failure) => refused(visit, failure.status, faultsOf(failure)))
    })

  return { visited, visitOf }
})

/**
 * Runs the pages of the back office. They belong to a signed-in staff member and hold no rule of their own: they call the services
 * of the admin API, tell the failures of these, and ask for the password and a code when a service wants them.
 */
export class AdminPages extends Context.Service<AdminPages>()("app/back-office/AdminPages", {
  make: Effect.gen(function* () {
    const answer = yield* makeAnswer
    const confirm = yield* makeConfirm
    const cookies = yield* AdminCookies.make
    const pathTo = yield* AdminPaths.make
    const read = yield* Submissions.make

    const { visited, visitOf } = yield* makeVisited
    const shown = (status: number) => (shown: Shown) => (isPage(shown) ? answer(status, shown) : Effect.succeed(shown))

    /** Shows a page. */
    const show = <E extends Failure, R>(handler: (visit: AdminVisit) => Effect.Effect<Shown, E, R>) =>
      visited((visit) => Effect.flatMap(handler(visit), shown(200)))

    /** Takes a form: it must be genuine and well-formed, and its service must accept it. Else shows its page again. */
    const take = <S extends Schema.ConstraintDecoder<unknown>, E extends Failure, R, E2 extends Failure, R2>(
      form: Form<S, E, R, E2, R2>
    ) =>
      visited(
        Effect.fnUntraced(function* (visit: AdminVisit, secret: string) {
          const path = yield* pathOfRequest
          const typed = yield* form.isLong === true
            ? Effect.provideService(read(secret, path), HttpIncomingMessage.MaxBodySize, longBody)
            : read(secret, path)
          const again = (status: number, faults: Faults) =>
            Effect.flatMap(form.again(visit, faults, typed), shown(status))
          if (!typed.isGenuine) return yield* again(403, { "": tryAgain })
          const result = readFields(form.fields, form.messages, typed)
          if (Result.isFailure(result)) return yield* again(422, result.failure)
          const fields = typed.typed.filter(([name]) => !name.startsWith("confirm_"))
          const ask = (faults: Faults = {}) => answer(403, confirmPage(visit, { path, fields, faults }))
          const faults = yield* confirm(secret, visit.actor, typed)
          if (Object.keys(faults).length > 0) return yield* ask(faults)
          // The confirmation belongs to the session.
          const confirmed = (yield* visitOf(secret)) ?? visit
          return yield* form.act(confirmed, result.success).pipe(
            Effect.flatMap(shown(200)),
            Effect.catch((failure) =>
              Predicate.isTagged(failure, "StepUpNeeded") ? ask() : again(failure.status, faultsOf(failure))
            )
          )
        })
      )

    /** Takes the form that signs out. */
    const signOut = visited(
      Effect.fnUntraced(function* ({ actor }, secret) {
        const { isGenuine } = yield* read(secret, yield* pathOfRequest)
        if (!isGenuine) return redirect(pathTo(""))
        yield* StaffSignIn.use((signIn) => signIn.end(secret, actor))
        return cookies.signOut(redirect(pathTo("sign-in")))
      })
    )

    return { pathTo, show, take, signOut }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
