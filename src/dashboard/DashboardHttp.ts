import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Assets from "../pages/Assets.ts"
import * as ForeignForms from "../pages/ForeignForms.ts"
import * as LanguageHttp from "../pages/LanguageHttp.ts"
import { methodNotAllowed, pageNotFound } from "../pages/MessagePages.ts"
import { makeAnswer } from "../pages/PageAnswer.ts"
import * as PageFailures from "../pages/PageFailures.ts"
import * as PageLimits from "../pages/PageLimits.ts"
import { pathOf } from "../pages/PagePaths.ts"
import { Visitors } from "../pages/Visitors.ts"
import { AllowedMethods } from "../platform/requests/AllowedMethods.ts"
import * as AccountPagesHttp from "./account/AccountPagesHttp.ts"
import * as AppLimitHttp from "./consent/AppLimitHttp.ts"
import * as AuthorizeHttp from "./consent/AuthorizeHttp.ts"
import * as ConnectedAppsHttp from "./consent/ConnectedAppsHttp.ts"
import * as ConsentHttp from "./consent/ConsentHttp.ts"
import { Pages } from "./desk/Pages.ts"
import * as ClaimHttp from "./doors/ClaimHttp.ts"
import * as CodeHttp from "./doors/CodeHttp.ts"
import * as MailRequestHttp from "./doors/MailRequestHttp.ts"
import * as RegisterHttp from "./doors/RegisterHttp.ts"
import * as ResetPasswordHttp from "./doors/ResetPasswordHttp.ts"
import * as SignInHttp from "./doors/SignInHttp.ts"
import * as UnsubscribeHttp from "./doors/UnsubscribeHttp.ts"
import * as VerifyEmailHttp from "./doors/VerifyEmailHttp.ts"
import { WaitingApps } from "./doors/WaitingApps.ts"
import * as HelpHttp from "./help/HelpHttp.ts"
import * as StatusHttp from "./help/StatusHttp.ts"
import * as IpCheckPagesHttp from "./ip-check/IpCheckPagesHttp.ts"
import * as KeysHttp from "./keys/KeysHttp.ts"
import * as LegalHttp from "./LegalHttp.ts"
import * as NotificationsHttp from "./notifications/NotificationsHttp.ts"
import * as OverviewHttp from "./overview/OverviewHttp.ts"
import * as PaymentPagesHttp from "./payments/PaymentPagesHttp.ts"
import * as ChosenHttp from "./proxies/ChosenHttp.ts"
import * as ExtendChosenHttp from "./proxies/ExtendChosenHttp.ts"
import * as LinksHttp from "./proxies/LinksHttp.ts"
import * as ProxiesHttp from "./proxies/ProxiesHttp.ts"
import * as ProxyPagesHttp from "./proxies/ProxyPagesHttp.ts"
import * as SecurityHttp from "./security/SecurityHttp.ts"
import * as WebhookPagesHttp from "./webhooks/WebhookPagesHttp.ts"
import * as BillingHttp from "./wallet/BillingHttp.ts"
import * as AutoTopUpHttp from "./wallet/AutoTopUpHttp.ts"
import * as InvoicesHttp from "./wallet/InvoicesHttp.ts"
import * as PayoutHttp from "./wallet/PayoutHttp.ts"
import * as ReferralsHttp from "./wallet/ReferralsHttp.ts"
import * as TopUpHttp from "./wallet/TopUpHttp.ts"
import * as WalletHttp from "./wallet/WalletHttp.ts"
import * as ShopHttp from "./shop/ShopHttp.ts"

/** Leads a browser from the root of the service to the dashboard, and a program to the documentation of the API. */
const front = (path: string) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    HttpServerResponse.redirect(headers["accept"]?.includes("text/html") === true ? path : "/docs", {
      status: 302,
      headers: { vary: "Accept" }
    })
  )

/** Answers the root of the service, and paths without a page. */
const others = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const path = yield* pathOf("")

    /** Answers a path without a page, or without a page for this method. */
    const other = Effect.gen(function* () {
      const allowed = yield* AllowedMethods
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return yield* allowed.length === 0 ? answer(404, pageNotFound) : answer(405, methodNotAllowed(method, allowed))
    })

    if (path === "/") return
    yield* router.add("GET", "/", front(path.replace(/\/$/, "")))
    // Not `${path}*`: it would also match every method of the path itself.
    yield* router.add("*", `${path}:page/*`, other)
  })
)

/** The pages of a person who is not signed in. */
const doors = Layer.mergeAll(
  ClaimHttp.layer,
  CodeHttp.layer,
  LegalHttp.layer,
  MailRequestHttp.layer,
  RegisterHttp.layer,
  ResetPasswordHttp.layer,
  SignInHttp.layer,
  StatusHttp.layer,
  UnsubscribeHttp.layer,
  VerifyEmailHttp.layer
)

/** The pages with the menu. */
const desk = Layer.mergeAll(
  AccountPagesHttp.layer,
  AppLimitHttp.layer,
  ConnectedAppsHttp.layer,
  HelpHttp.layer,
  IpCheckPagesHttp.layer,
  KeysHttp.layer,
  NotificationsHttp.layer,
  OverviewHttp.layer,
  ChosenHttp.layer,
  ExtendChosenHttp.layer,
  LinksHttp.layer,
  ProxiesHttp.layer,
  ProxyPagesHttp.layer,
  SecurityHttp.layer,
  WebhookPagesHttp.layer,
  AutoTopUpHttp.layer,
  BillingHttp.layer,
  InvoicesHttp.layer,
  PayoutHttp.layer,
  ReferralsHttp.layer,
  TopUpHttp.layer,
  WalletHttp.layer,
  ShopHttp.layer
).pipe(Layer.provide(Pages.layer))

/** The pages for people under `{app_url}`, and the authorization endpoint. */
export const layer = Layer.mergeAll(
  others,
  doors,
  desk,
  AuthorizeHttp.layer,
  ConsentHttp.layer,
  LanguageHttp.layer,
  PaymentPagesHttp.layer
).pipe(
  Layer.provide(ForeignForms.middleware.combine(PageLimits.middleware).combine(PageFailures.middleware).layer),
  Layer.merge(Assets.layer),
  Layer.provide(WaitingApps.layer),
  Layer.provide(Visitors.layer)
)
