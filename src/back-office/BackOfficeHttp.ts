import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as ForeignForms from "../pages/ForeignForms.ts"
import { methodNotAllowed, pageNotFound } from "../pages/MessagePages.ts"
import { makeAnswer } from "../pages/PageAnswer.ts"
import * as PageFailures from "../pages/PageFailures.ts"
import { AllowedMethods } from "../platform/requests/AllowedMethods.ts"
import * as AbusePageHttp from "./abuse/AbusePageHttp.ts"
import * as RulesHttp from "./abuse/RulesHttp.ts"
import * as AdminGate from "./desk/AdminGate.ts"
import { AdminPages } from "./desk/AdminPages.ts"
import * as AdminPaths from "./desk/AdminPaths.ts"
import * as AnnouncementsPageHttp from "./announcements/AnnouncementsPageHttp.ts"
import * as AuditPageHttp from "./members/AuditPageHttp.ts"
import * as CodeHttp from "./doors/CodeHttp.ts"
import * as CreditHttp from "./money/CreditHttp.ts"
import * as CareHttp from "./customers/CareHttp.ts"
import * as CustomerDataHttp from "./customers/CustomerDataHttp.ts"
import * as CustomersHttp from "./customers/CustomersHttp.ts"
import * as DisputesPageHttp from "./money/DisputesPageHttp.ts"
import * as DocumentsPageHttp from "./documents/DocumentsPageHttp.ts"
import * as TaxPageHttp from "./documents/TaxPageHttp.ts"
import * as InviteHttp from "./doors/InviteHttp.ts"
import * as OrdersHttp from "./orders/OrdersHttp.ts"
import * as WorkHttp from "./orders/WorkHttp.ts"
import * as PaymentsPageHttp from "./payments/PaymentsPageHttp.ts"
import * as OverviewHttp from "./OverviewHttp.ts"
import * as LimitsPageHttp from "./money/LimitsPageHttp.ts"
import * as PayoutsPageHttp from "./money/PayoutsPageHttp.ts"
import * as PausesHttp from "./providers/PausesHttp.ts"
import * as PromoCodesPageHttp from "./promo-codes/PromoCodesPageHttp.ts"
import * as ProvidersPageHttp from "./providers/ProvidersPageHttp.ts"
import * as ReportsPageHttp from "./reports/ReportsPageHttp.ts"
import * as RequestsHttp from "./money/RequestsHttp.ts"
import * as RestrictHttp from "./customers/RestrictHttp.ts"
import * as SettlePayoutHttp from "./money/SettlePayoutHttp.ts"
import * as ShopEditHttp from "./shop/ShopEditHttp.ts"
import * as ShopPagesHttp from "./shop/ShopPagesHttp.ts"
import * as SignInHttp from "./doors/SignInHttp.ts"
import * as StaffPagesHttp from "./members/StaffPagesHttp.ts"
import * as TodoPageHttp from "./todo/TodoPageHttp.ts"
import * as TokensHttp from "./members/TokensHttp.ts"

/** Answers paths without a page, or without a page for this method. */
const others = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const pathTo = yield* AdminPaths.make
    const other = Effect.gen(function* () {
      const allowed = yield* AllowedMethods
      const { method } = yield* HttpServerRequest.HttpServerRequest
      return yield* allowed.length === 0 ? answer(404, pageNotFound) : answer(405, methodNotAllowed(method, allowed))
    })
    yield* router.add("*", pathTo(":page/*"), other)
  })
)

const signedIn = Layer.mergeAll(
  AnnouncementsPageHttp.layer,
  AbusePageHttp.layer,
  AuditPageHttp.layer,
  CareHttp.layer,
  CreditHttp.layer,
  CustomerDataHttp.layer,
  CustomersHttp.layer,
  DisputesPageHttp.layer,
  DocumentsPageHttp.layer,
  LimitsPageHttp.layer,
  OrdersHttp.layer,
  OverviewHttp.layer,
  PaymentsPageHttp.layer,
  PayoutsPageHttp.layer,
  PausesHttp.layer,
  PromoCodesPageHttp.layer,
  ProvidersPageHttp.layer,
  ReportsPageHttp.layer,
  RequestsHttp.layer,
  RestrictHttp.layer,
  RulesHttp.layer,
  SettlePayoutHttp.layer,
  ShopEditHttp.layer,
  ShopPagesHttp.layer,
  StaffPagesHttp.layer,
  TaxPageHttp.layer,
  TodoPageHttp.layer,
  TokensHttp.layer,
  WorkHttp.layer
).pipe(Layer.provide(AdminPages.layer))

/** The pages of the back office under `{admin_url}`. */
export const layer = Layer.mergeAll(others, SignInHttp.layer, CodeHttp.layer, InviteHttp.layer, signedIn).pipe(
  Layer.provide(ForeignForms.middleware.combine(AdminGate.middleware).combine(PageFailures.middleware).layer)
)
