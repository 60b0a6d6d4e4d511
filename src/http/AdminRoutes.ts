import { Context, Effect, Layer, type Schema, SchemaAST } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { AdminApi } from "../AdminApi.ts"
import * as AbuseHttp from "../staff/abuse/AbuseHttp.ts"
import * as DestinationRulesHttp from "../staff/abuse/DestinationRulesHttp.ts"
import * as MeHttp from "../staff/access/MeHttp.ts"
import * as StaffAuthenticationHttp from "../staff/access/StaffAuthenticationHttp.ts"
import * as AnnouncementsHttp from "../staff/announcements/AnnouncementsHttp.ts"
import * as AuditHttp from "../staff/audit/AuditHttp.ts"
import * as CustomerCareHttp from "../staff/customers/CustomerCareHttp.ts"
import * as CustomerRecordsHttp from "../staff/customers/CustomerRecordsHttp.ts"
import * as CustomersHttp from "../staff/customers/CustomersHttp.ts"
import * as MembersHttp from "../staff/members/MembersHttp.ts"
import * as StaffTokensHttp from "../staff/members/StaffTokensHttp.ts"
import * as StaffDocumentsHttp from "../staff/documents/StaffDocumentsHttp.ts"
import * as TaxHttp from "../staff/documents/TaxHttp.ts"
import * as AdjustmentsHttp from "../staff/money/AdjustmentsHttp.ts"
import * as DisputesHttp from "../staff/money/DisputesHttp.ts"
import * as LimitsHttp from "../staff/money/LimitsHttp.ts"
import * as PayoutsHttp from "../staff/money/PayoutsHttp.ts"
import * as RefundsHttp from "../staff/money/RefundsHttp.ts"
import * as OrderWorkHttp from "../staff/orders/OrderWorkHttp.ts"
import * as StaffOrdersHttp from "../staff/orders/StaffOrdersHttp.ts"
import * as StaffPaymentsHttp from "../staff/payments/StaffPaymentsHttp.ts"
import * as PromoCodesHttp from "../staff/promo-codes/PromoCodesHttp.ts"
import * as ProvidersHttp from "../staff/providers/ProvidersHttp.ts"
import * as ReportsHttp from "../staff/reports/ReportsHttp.ts"
import * as ShopHttp from "../staff/shop/ShopHttp.ts"
import * as TodoHttp from "../staff/todo/TodoHttp.ts"
import { MovesMoney, RequiredPermission } from "../staff/StaffAuthenticationApi.ts"
import * as ApiServer from "./ApiServer.ts"
import * as RequestValidation from "./RequestValidation.ts"

interface Contract {
  readonly groups: Readonly<Record<string, HttpApiGroup.Top>>
}

const takesKey = (headers: Schema.Top | undefined) =>
  headers !== undefined &&
  SchemaAST.isObjects(headers.ast) &&
  headers.ast.propertySignatures.some(({ name }) => name === "idempotency-key")

/** Finds an operation that nobody's rights limit, or that moves money and can be repeated by accident. */
export const faultIn = ({ groups }: Contract): string | undefined => {
  for (const { endpoints } of Object.values(groups))
    for (const { annotations, headers, identifier } of Object.values(endpoints)) {
      if (Context.get(annotations, RequiredPermission) === undefined) return `${identifier} names no permission`
      if (Context.get(annotations, MovesMoney) && !takesKey(headers)) return `${identifier} takes no Idempotency-Key`
    }
  return undefined
}

const checked = Layer.effectDiscard(
  Effect.suspend(() => {
    const fault = faultIn(AdminApi as unknown as Contract)
    return fault === undefined ? Effect.void : Effect.die(new Error(`The admin API: ${fault}`))
  })
)

/** The routes of the admin API. */
export const layer = ApiServer.layer(AdminApi).pipe(
  Layer.provide([
    MeHttp.layer,
    MembersHttp.layer,
    StaffTokensHttp.layer,
    AuditHttp.layer,
    CustomersHttp.layer,
    CustomerRecordsHttp.layer,
    OrderWorkHttp.layer,
    StaffOrdersHttp.layer,
    StaffPaymentsHttp.layer,
    AdjustmentsHttp.layer,
    RefundsHttp.layer,
    PayoutsHttp.layer,
    DisputesHttp.layer,
    StaffDocumentsHttp.layer,
    TaxHttp.layer,
    LimitsHttp.layer,
    AbuseHttp.layer,
    DestinationRulesHttp.layer,
    ProvidersHttp.layer,
    ReportsHttp.layer,
    ShopHttp.layer,
    TodoHttp.layer
  ]),
  Layer.provide([AnnouncementsHttp.layer, CustomerCareHttp.layer, PromoCodesHttp.layer]),
  Layer.provide([StaffAuthenticationHttp.layer, RequestValidation.layer]),
  Layer.merge(checked)
)
