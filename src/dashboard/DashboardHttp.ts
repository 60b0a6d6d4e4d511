import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Addresses } from "../platform/settings/Addresses.ts"
import { AllowedMethods } from "../platform/requests/AllowedMethods.ts"
import * as AuthorizeHttp from "./AuthorizeHttp.ts"
import * as ClaimHttp from "./ClaimHttp.ts"
import * as ConnectedAppsHttp from "./ConnectedAppsHttp.ts"
import * as ConsentHttp from "./ConsentHttp.ts"
import * as EmailHttp from "./EmailHttp.ts"
import * as LegalHttp from "./LegalHttp.ts"
import * as MailRequestHttp from "./MailRequestHttp.ts"
import { methodNotAllowed, pageNotFound } from "./MessagePages.ts"
import { makeAnswer, redirect } from "./PageAnswer.ts"
import { pathOf } from "./PagePaths.ts"
import * as PageFailures from "./PageFailures.ts"
import * as PageLimits from "./PageLimits.ts"
import * as PaymentPagesHttp from "./PaymentPagesHttp.ts"
import * as RegisterHttp from "./RegisterHttp.ts"
import * as ResetPasswordHttp from "./ResetPasswordHttp.ts"
import * as SignInHttp from "./SignInHttp.ts"
import * as VerifyEmailHttp from "./VerifyEmailHttp.ts"
import { Visitors } from "./Visitors.ts"
import { WaitingApps } from "./WaitingApps.ts"

/** Redirects the dashboard's first page to the connected apps, and the root of the service to the documentation. */
const home = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const path = yield* pathOf("")

    /** Answers a path without a page, or without a page for this method. */
    const other = Effect.gen(function* () {
      const allowed = yield* AllowedMethods
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return allowed.length === 0 ? answer(404, pageNotFound) : answer(405, methodNotAllowed(method, allowed))
    })

    // A complete address, because another host may serve this redirect too.
    const first = redirect(`${(yield* Addresses).app_url}/connections`)
    if (path === "/") return yield* router.add("GET", "/", first)
    yield* router.add("GET", "/", HttpServerResponse.redirect("/docs", { status: 302 }))
    yield* router.add("GET", path, first)
    // Not `${path}*`: it would also match every method of the path itself.
    yield* router.add("*", `${path}:page/*`, other)
  })
)

/** The pages for people under `{app_url}`, and the authorization endpoint. */
export const layer = Layer.mergeAll(
  home,
  AuthorizeHttp.layer,
  ClaimHttp.layer,
  ConnectedAppsHttp.layer,
  ConsentHttp.layer,
  EmailHttp.layer,
  LegalHttp.layer,
  MailRequestHttp.layer,
  PaymentPagesHttp.layer,
  RegisterHttp.layer,
  ResetPasswordHttp.layer,
  SignInHttp.layer,
  VerifyEmailHttp.layer
).pipe(
  Layer.provide(PageLimits.middleware.combine(PageFailures.middleware).layer),
  Layer.provide(WaitingApps.layer),
  Layer.provide(Visitors.layer)
)
